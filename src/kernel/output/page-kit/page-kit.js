// What pages do in a browser: they filter rows, copy texts and show themselves anew. Without it they show the same.
{
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('[data-filter]'))) {
    const place = field.closest('section, details');
    const rows = /** @type {HTMLElement[]} */ ([...(place?.querySelectorAll('tbody tr, .log span') ?? [])]);
    const kept = `filter ${location.pathname} ${place?.id}`;
    const filter = () => {
      const words = field.value.toLowerCase().split(/\s+/);
      for (const row of rows) row.hidden = !words.every((word) => row.textContent?.toLowerCase().includes(word));
      sessionStorage.setItem(kept, field.value);
    };
    field.value = sessionStorage.getItem(kept) ?? '';
    field.hidden = rows.length === 0;
    field.addEventListener('input', filter);
    filter();
  }

  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-copy]'))) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy ?? '');
      button.textContent = 'Copied';
    });
  }

  // Not while somebody reads a part of it, types or selects.
  const isInUse = () =>
    document.hidden || document.querySelector('details[open], input:focus') || !getSelection()?.isCollapsed;
  const pause = Number(document.body.dataset.refresh) * 1000;
  if (pause > 0) setInterval(() => isInUse() || location.reload(), pause);
}
