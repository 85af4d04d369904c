// Shows a message in browsers that are too old for the app, instead of an empty page. Written in JavaScript that any browser
// can run.
// biome-ignore lint/complexity/useArrowFunction: older browsers don't support arrow functions
;(function () {
  if (Promise.withResolvers && Object.groupBy && URL.canParse && window.AbortSignal && AbortSignal.any) return
  var words = {
    en: 'This browser is too old for this page. Update it, or use a current version of Chrome, Edge, Firefox or Safari.',
    de: 'Dieser Browser ist zu alt für diese Seite. Aktualisiere ihn oder nimm eine aktuelle Version von Chrome, Edge, Firefox oder Safari.',
    es: 'Este navegador es demasiado antiguo para esta página. Actualízalo o usa una versión actual de Chrome, Edge, Firefox o Safari.',
    fr: 'Ce navigateur est trop ancien pour cette page. Mettez-le à jour ou utilisez une version récente de Chrome, Edge, Firefox ou Safari.',
  }
  // biome-ignore lint/complexity/useArrowFunction: as above
  document.addEventListener('DOMContentLoaded', function () {
    var notice = document.createElement('p')
    var language = (navigator.language || 'en').slice(0, 2)
    notice.textContent = words[language] || words.en
    notice.setAttribute('role', 'alert')
    notice.style.margin = '0'
    notice.style.padding = '16px'
    notice.style.background = '#fef3c7'
    notice.style.color = '#111827'
    notice.style.font = '16px sans-serif'
    document.body.insertBefore(notice, document.body.firstChild)
  })
})()
