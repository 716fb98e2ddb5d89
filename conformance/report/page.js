// Filters the cases, and opens the one that the address names. The page is whole without it.
'use strict';
(function () {
  const form = document.querySelector('.filter');
  const cases = Array.from(document.querySelectorAll('.case'));
  const passed = ['PASS', 'NOT_APPLICABLE', 'INFO'];
  const words = new Map();

  function wanted(verdict, of) {
    return verdict === '' ? true : verdict === '!' ? !passed.includes(of) : verdict === of;
  }
  // Text is gathered when it is first asked for: a page may hold some thousand packets.
  function text(c) {
    if (!words.has(c)) {
      words.set(c, Array.from(c.querySelectorAll('.id, .title, .cited, .found')).map(e => e.textContent).join(' ').toLowerCase());
    }
    return words.get(c);
  }
  function apply() {
    const verdict = form.verdict.value;
    const area = form.area.value;
    const asked = form.text.value.toLowerCase().split(' ').filter(w => w);
    let n = 0;
    for (const c of cases) {
      const fits = [
        () => wanted(verdict, c.dataset.verdict),
        () => area === '' || c.dataset.area === area,
        () => asked.every(w => text(c).includes(w)),
      ].every(f => f());
      c.hidden = !fits;
      n += fits ? 1 : 0;
    }
    for (const g of document.querySelectorAll('.group')) {
      g.hidden = !g.querySelector('.case:not([hidden])');
    }
    form.querySelector('.matches').textContent = n + ' of ' + cases.length + ' shown';
  }
  function open() {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (named === null || !named.classList.contains('case')) {
      return;
    }
    if (named.hidden) {
      form.reset();
      apply();
    }
    named.open = true;
    named.scrollIntoView();
  }

  form.hidden = false;
  form.addEventListener('input', apply);
  form.addEventListener('submit', e => e.preventDefault());
  window.addEventListener('hashchange', open);
  document.addEventListener('click', e => {
    const link = e.target.closest('a[href^="#"]');
    if (link !== null) {
      setTimeout(open, 0);
    }
  });
  apply();
  open();
})();
