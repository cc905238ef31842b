/** Makes the buttons of class `copy` put the command beside them on the clipboard. */
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

/** A page from the file system may not be let at the clipboard; then the text is selected. */
async function copy(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return false;
  }
}
