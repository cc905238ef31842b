/** Makes the buttons of class `copy` copy the command beside them. */
export function startCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) {
    const command = button.parentElement?.querySelector('pre');
    if (!command) continue;
    button.hidden = false;
    button.addEventListener('click', () => {
      void copy(command).then((copied) => {
        button.textContent = copied ? 'Copied' : 'Selected';
        setTimeout(() => (button.textContent = 'Copy'), 1500);
      });
    });
  }
}

/** Copies a text; where a page may not use the clipboard, the text is selected instead. */
async function copy(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return false;
  }
}
