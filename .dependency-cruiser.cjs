// Who may import whom, from top to bottom; CONTRIBUTING.md says it in words, scripts/import-rules.mjs runs it.
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const TEST_FILE = '[.]test[.]tsx?$'
const WEB_FEATURE = '^apps/web/src/features/([^/]+)/'
/** Modules of the API from the lowest to the highest. */
const MODULES = ['identity', 'library', 'search', 'studio', 'chat', 'automation', 'admin', 'gateways']
/** Files at the top that everything may import. */
const BASICS = '(config|config-addresses|errors|log|caller|sentences)[.]ts$'
/** Files at the top that the modules may import as well. */
const SHARED_BY_MODULES = `(${BASICS}|common[.]ts$)`
/** Files of the API that start something when they are loaded. */
const ENTRY =
  '^apps/api/src/((server|parsers|backup|restore|reset-password|prove-backup|compile-readers)[.]ts$|.*/(?!task-process[.]|prove-in-process[.])[^/]+-(process|worker|child)[.]ts$)'

module.exports = {
  forbidden: [
    rule(
      'everything-resolves',
      'an import names a file or a package that is there (types are the compiler’s to find, addresses of files the build’s)',
      {},
      { couldNotResolve: true, dependencyTypesNot: ['type-only'], pathNot: '[?]url$' },
    ),
    rule('no-cycles', 'imports point one way', {}, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    rule('no-cycles-of-types', 'those of types as well', {}, { circular: true }),
    rule(
      'shared-imports-nothing',
      'the contract knows zod and itself',
      { path: '^packages/shared/src', pathNot: TEST_FILE },
      { pathNot: '^packages/shared/src|node_modules/zod/' },
    ),
    rule(
      'the-client-knows-the-contract',
      'what calls the API stands on its types and its event streams, so that it runs in a browser and in a terminal',
      { path: '^packages/client/src', pathNot: TEST_FILE },
      {
        pathNot: '^packages/(client/src/|shared/src/(constants/)?sse[.]ts$)',
        dependencyTypesNot: ['type-only'],
      },
    ),
    rule(
      'the-page-takes-constants-not-schemas',
      'what a page imports of the contract has no validator in it, but in form modules, which are loaded when a form opens',
      { path: '^apps/web/src/', pathNot: `${TEST_FILE}|-form[.]tsx?$` },
      {
        path: '^packages/shared/src/',
        pathNot: '^packages/shared/src/((constants|messages)/|(access|speakable|sse)[.]ts$)',
        dependencyTypesNot: ['type-only'],
      },
    ),
    rule(
      'constants-are-plain',
      'the constants of the contract know only each other, and no validator',
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
      'a feature of the web app never imports another one: app/ joins them',
      { path: WEB_FEATURE },
      { path: '^apps/web/src/features/', pathNot: '^apps/web/src/features/$1/' },
    ),
    rule(
      'web-layers-point-down',
      'ui and lib of the web app sit below the features, and the features below app/',
      { path: '^apps/web/src/(ui|lib)/', pathNot: TEST_FILE },
      { path: '^apps/web/src/(features|app)/' },
    ),
    rule(
      'only-the-app-joins-features',
      'features never reach up to the app that joins them',
      { path: '^apps/web/src/features/', pathNot: TEST_FILE },
      { path: '^apps/web/src/(app/|main[.]tsx$)' },
    ),
    rule(
      'ui-is-plain',
      'a ui component knows only other ui components',
      { path: '^apps/web/src/ui/', pathNot: TEST_FILE },
      { path: '^(apps|packages)/', pathNot: '^apps/web/src/ui/' },
    ),
    rule(
      'platform-is-the-base',
      'database, HTTP, queue, storage, sandbox and net know nothing that is built on them',
      { path: '^apps/api/src/platform/', pathNot: TEST_FILE },
      { path: '^apps/api/src/', pathNot: `^apps/api/src/(platform/|${BASICS})` },
    ),
    rule(
      'lib-is-plain',
      'platform/lib knows nothing of Mira but its kinds of failure',
      { path: '^apps/api/src/platform/lib/', pathNot: TEST_FILE },
      { path: '^(apps|packages)/', pathNot: '^apps/api/src/(platform/lib/|errors[.]ts$)' },
    ),
    rule(
      'engines-know-no-module',
      'engines, parsers and what stands in for a model sit below the modules',
      { path: '^apps/api/src/(engines|parsers|offline)/', pathNot: TEST_FILE },
      {
        path: '^apps/api/src/',
        pathNot: `^apps/api/src/(engines|parsers|offline|platform)/|^apps/api/src/(${BASICS})`,
      },
    ),
    rule(
      'parsers-take-constants-not-schemas',
      'a process that reads one file starts without the validators of the contract, which cost as much as reading a small file',
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
      'a module shows the others what its index.ts names',
      { path: '^apps/api/src/modules/([^/]+)/', pathNot: TEST_FILE },
      { path: '^apps/api/src/modules/', pathNot: '^apps/api/src/modules/($1/|[^/]+/index[.]ts$)' },
    ),
    rule(
      'service-knows-no-http',
      'services and stores never see a request',
      { path: '[.](service|store)[.]ts$' },
      { path: 'node_modules/(@fastify|fastify)/|^apps/api/src/platform/http/' },
    ),
    rule(
      'routes-go-through-services',
      'routes never see a store, the database or a parser',
      { path: '[.]routes[.]ts$' },
      { path: '[.]store[.]ts$|^apps/api/src/(engines|parsers|platform/(database|queue|storage|sandbox|net))/' },
    ),
    rule(
      'entries-are-started-not-imported',
      'what starts something when it is loaded (a process, a worker, a command) is imported by nobody',
      {},
      { path: ENTRY, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'product-knows-no-tests',
      'what runs never imports what tests it',
      { path: '^(apps|packages)/[^/]+/src/', pathNot: TEST_FILE },
      { path: `^(apps/[^/]+/test|e2e|bench|scripts)/|${TEST_FILE}` },
    ),
    rule(
      'the-server-runs-on-its-dependencies',
      'what the server imports is installed in production',
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
