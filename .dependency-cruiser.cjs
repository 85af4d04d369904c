// Allowed imports between layers; CONTRIBUTING.md explains them, scripts/import-rules.mjs checks them.
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const TEST_FILE = '[.]test[.]tsx?$'
const WEB_FEATURE = '^apps/web/src/features/([^/]+)/'
/** Modules of the API from the lowest to the highest. */
const MODULES = ['identity', 'library', 'search', 'studio', 'chat', 'automation', 'admin', 'gateways']
/** Files in apps/api/src that everything may import. */
const BASICS = '(config|config-addresses|errors|log|caller|sentences)[.]ts$'
/** Files in apps/api/src that modules may import. */
const SHARED_BY_MODULES = `(${BASICS}|common[.]ts$)`
/** Files of the API that start a process, worker or command when they're loaded. */
const ENTRY =
  '^apps/api/src/((server|parsers|backup|restore|reset-password|prove-backup|compile-readers)[.]ts$|.*/(?!task-process[.])[^/]+-(process|worker|child)[.]ts$)'

module.exports = {
  forbidden: [
    rule(
      'everything-resolves',
      'every import names an existing file or package (the compiler checks type imports, the build checks `?url` imports)',
      {},
      { couldNotResolve: true, dependencyTypesNot: ['type-only'], pathNot: '[?]url$' },
    ),
    rule('no-cycles', 'no import cycles', {}, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    rule('no-cycles-of-types', 'no cycles of type imports either', {}, { circular: true }),
    rule(
      'shared-imports-nothing',
      'packages/shared imports only zod and itself',
      { path: '^packages/shared/src', pathNot: TEST_FILE },
      { pathNot: '^packages/shared/src|node_modules/zod/' },
    ),
    rule(
      'the-client-knows-the-contract',
      'the API client imports only types and the event stream parser, so that it runs in browsers and in terminals',
      { path: '^packages/client/src', pathNot: TEST_FILE },
      {
        pathNot: '^packages/(client/src/|shared/src/(constants/)?sse[.]ts$)',
        dependencyTypesNot: ['type-only'],
      },
    ),
    rule(
      'the-page-takes-constants-not-schemas',
      'the web app imports no validators of packages/shared, except in form modules, which are loaded when a form opens',
      { path: '^apps/web/src/', pathNot: `${TEST_FILE}|-form[.]tsx?$` },
      {
        path: '^packages/shared/src/',
        pathNot: '^packages/shared/src/((constants|messages)/|(access|speakable|sse)[.]ts$)',
        dependencyTypesNot: ['type-only'],
      },
    ),
    rule(
      'constants-are-plain',
      'constants of packages/shared import only each other, and no validator',
      { path: '^packages/shared/src/(constants/|(access|speakable|sse)[.]ts$)' },
      { pathNot: '^packages/shared/src/(constants/|access[.]ts$)' },
    ),
    rule(
      'apps-meet-only-in-shared',
      'the web app, the API and the command line never import each other',
      { path: '^apps/([^/]+)/' },
      { path: '^apps/', pathNot: '^apps/$1/' },
    ),
    rule(
      'features-stand-alone',
      'a feature of the web app never imports another one: app/ combines them',
      { path: WEB_FEATURE },
      { path: '^apps/web/src/features/', pathNot: '^apps/web/src/features/$1/' },
    ),
    rule(
      'web-layers-point-down',
      'ui and lib of the web app don’t import features or app/',
      { path: '^apps/web/src/(ui|lib)/', pathNot: TEST_FILE },
      { path: '^apps/web/src/(features|app)/' },
    ),
    rule(
      'only-the-app-joins-features',
      'features don’t import app/, which combines them',
      { path: '^apps/web/src/features/', pathNot: TEST_FILE },
      { path: '^apps/web/src/(app/|main[.]tsx$)' },
    ),
    rule(
      'ui-is-plain',
      'a ui component imports only other ui components',
      { path: '^apps/web/src/ui/', pathNot: TEST_FILE },
      { path: '^(apps|packages)/', pathNot: '^apps/web/src/ui/' },
    ),
    rule(
      'platform-is-the-base',
      'database, HTTP, queue, storage, sandbox and net don’t import the code that uses them',
      { path: '^apps/api/src/platform/', pathNot: TEST_FILE },
      { path: '^apps/api/src/', pathNot: `^apps/api/src/(platform/|${BASICS})` },
    ),
    rule(
      'lib-is-plain',
      'platform/lib imports nothing of Mira except its errors and the contract’s constants',
      { path: '^apps/api/src/platform/lib/', pathNot: TEST_FILE },
      {
        path: '^(apps|packages)/',
        pathNot: '^(apps/api/src/(platform/lib/|errors[.]ts$)|packages/shared/src/constants/)',
      },
    ),
    rule(
      'engines-know-no-module',
      'engines, parsers and offline/ don’t import modules',
      { path: '^apps/api/src/(engines|parsers|offline)/', pathNot: TEST_FILE },
      {
        path: '^apps/api/src/',
        pathNot: `^apps/api/src/(engines|parsers|offline|platform)/|^apps/api/src/(${BASICS})`,
      },
    ),
    rule(
      'parsers-take-constants-not-schemas',
      'parser processes load no validators of packages/shared, which would take as long as reading a small file',
      { path: '^apps/api/src/(parsers|offline/language|platform/sandbox)/', pathNot: `${TEST_FILE}|-archives/` },
      {
        path: '^packages/shared/src/',
        pathNot: '^packages/shared/src/(constants|messages)/',
        dependencyTypesNot: ['type-only'],
      },
    ),
    ...MODULES.map((name, index) =>
      rule(
        `${name}-imports-downwards`,
        `the module ${name} imports only modules below it`,
        { path: `^apps/api/src/modules/${name}/`, pathNot: TEST_FILE },
        {
          path: '^apps/api/src/',
          pathNot: `^apps/api/src/(engines|parsers|offline|platform)/|^apps/api/src/modules/(${MODULES.slice(0, index + 1).join('|')})/|^apps/api/src/${SHARED_BY_MODULES}`,
        },
      ),
    ),
    rule(
      'modules-meet-through-their-index',
      'a module imports another module only through its index.ts',
      { path: '^apps/api/src/modules/([^/]+)/', pathNot: TEST_FILE },
      { path: '^apps/api/src/modules/', pathNot: '^apps/api/src/modules/($1/|[^/]+/index[.]ts$)' },
    ),
    rule(
      'service-knows-no-http',
      'services and stores import no HTTP code',
      { path: '[.](service|store)[.]ts$' },
      { path: 'node_modules/(@fastify|fastify)/|^apps/api/src/platform/http/' },
    ),
    rule(
      'routes-go-through-services',
      'routes don’t import stores, the database, engines or parsers',
      { path: '[.]routes[.]ts$' },
      { path: '[.]store[.]ts$|^apps/api/src/(engines|parsers|platform/(database|queue|storage|sandbox|net))/' },
    ),
    rule(
      'entries-are-started-not-imported',
      'a file that starts a process, worker or command when it’s loaded is never imported',
      {},
      { path: ENTRY, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'product-knows-no-tests',
      'product code never imports tests',
      { path: '^(apps|packages)/[^/]+/src/', pathNot: TEST_FILE },
      { path: `^(apps/[^/]+/test|e2e|bench|scripts)/|${TEST_FILE}` },
    ),
    rule(
      'the-server-runs-on-its-dependencies',
      'the server imports only production dependencies',
      { path: '^apps/api/src/', pathNot: TEST_FILE },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/(dist|generated)/|[.]css$' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'module', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
}
