// What text may become markup here: names of characters, and the plain tags that descriptions are made of.
const character = /^&[a-z\d]{1,31};$/i
const plainTag = /<\/?(?:p|br|code|em|strong|ul|ol|li)>/g
window.trustedTypes?.createPolicy('default', {
  createHTML: (text) => (character.test(text) || !text.replace(plainTag, '').includes('<') ? text : null),
})

// Starts Swagger UI on this server's own document. Whoever is signed in to the web app can try calls at once.
const ui = window.SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  // nothing is asked of other hosts
  validatorUrl: null,
  onComplete: () => {
    const token = window.localStorage.getItem('token')
    if (token !== null) ui.preauthorizeApiKey('bearer', token)
  },
})
