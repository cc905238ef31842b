import { readFileSync } from 'node:fs';

/** Notice that uPlot's license asks for where its code is copied to. */
const NOTICE =
  '/*! uPlot, MIT. Copyright (c) 2022 Leon Sorokin. https://github.com/leeoniya/uPlot */\n';

let library: { readonly script: string; readonly style: string } | undefined;

/** Reads uPlot, once: its script, which sets the global `uPlot`, and its style. */
export function chartLibrary(): { readonly script: string; readonly style: string } {
  library ??= {
    script: textAt(import.meta.resolve('uplot/dist/uPlot.iife.min.js')),
    style: textAt(import.meta.resolve('uplot/dist/uPlot.min.css')),
  };
  return library;
}

function textAt(address: string): string {
  return `${NOTICE}${readFileSync(new URL(address), 'utf8').trim()}\n`;
}
