// Trusted Types policy: allows only single character references and the plain tags used in descriptions.
const character = /^&[a-z\d]{1,31};$/i
const plainTag = /<\/?(?:p|br|code|em|strong|ul|ol|li)>/g
window.trustedTypes?.createPolicy('default', {
  createHTML: (text) => (character.test(text) || !text.replace(plainTag, '').includes('<') ? text : null),
})

// Starts Swagger UI with this server's OpenAPI document. Users signed in to the web app can try calls right away.
const ui = window.SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  // No requests to other hosts.
  validatorUrl: null,
  onComplete: () => {
    const token = window.localStorage.getItem('token')
    if (token !== null) ui.preauthorizeApiKey('bearer', token)
  },
})
