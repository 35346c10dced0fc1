// Applies the chosen colors before the first paint. Nothing but this choice is stored.
(function () {
  let theme = 'auto';
  try {
    theme = localStorage.getItem('penstock-theme') || 'auto';
  } catch (unavailable) {
    // Without storage, the choice lasts until the page is closed.
  }
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.dataset.theme = theme;
  }
})();
