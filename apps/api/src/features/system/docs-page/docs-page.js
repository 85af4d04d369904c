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
