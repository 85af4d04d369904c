// Who may import whom, from top to bottom; CONTRIBUTING.md says it in words, scripts/import-rules.mjs runs it.
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const TEST_FILE = '[.]test[.]tsx?$'
const FEATURE = '^apps/(api|web)/src/features/([^/]+)/'

module.exports = {
  forbidden: [
    rule(
      'everything-resolves',
      'an import names a file or a package that is there (types are the compiler’s to find)',
      {},
      { couldNotResolve: true, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'no-cycles',
      'imports point one way; a type may point back',
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    ),
    rule(
      'shared-imports-nothing',
      'the contract knows zod and itself',
      { path: '^packages/shared/src', pathNot: TEST_FILE },
      { pathNot: '^packages/shared/src|node_modules/zod/' },
    ),
    rule(
      'apps-meet-only-in-shared',
      'the web app and the API never import each other',
      { path: '^apps/([^/]+)/' },
      { path: '^apps/', pathNot: '^apps/$1/' },
    ),
    rule(
      'features-stand-alone',
      'a feature never imports another one: app/ and context.ts join them',
      { path: FEATURE },
      { path: '^apps/$1/src/features/', pathNot: '^apps/$1/src/features/$2/' },
    ),
    rule(
      'low-layers-know-no-feature',
      'adapters, db, http and jobs of the API, and api, ui and lib of the web app, sit below the features',
      { path: '^apps/[^/]+/src/(adapters|db|http|jobs|api|ui|lib)/', pathNot: TEST_FILE },
      { path: '^apps/[^/]+/src/(features|app)/|^apps/api/src/(context[a-z-]*|app|serve|server)[.]ts$' },
    ),
    rule(
      'ui-is-plain',
      'a ui component knows only other ui components',
      { path: '^apps/web/src/ui/' },
      { path: '^(apps|packages)/', pathNot: '^apps/web/src/ui/' },
    ),
    rule(
      'only-roots-join',
      'features never reach up to what joins them',
      { path: '^apps/[^/]+/src/features/', pathNot: TEST_FILE },
      { path: '^apps/api/src/(context[a-z-]*|app|serve|server)[.]ts$|^apps/web/src/(app/|main[.]tsx$)' },
    ),
    rule(
      'service-knows-no-http',
      'services and stores never see a request',
      { path: '[.](service|store)[.]ts$' },
      { path: 'node_modules/(@fastify|fastify)/|^apps/api/src/http/' },
    ),
    rule(
      'services-are-given-their-tools',
      'feature code takes stores, adapters, jobs and the database as types: context.ts hands in the objects',
      { path: '^apps/api/src/features/', pathNot: `[.]store[.]ts$|${TEST_FILE}` },
      { path: '[.]store[.]ts$|^apps/api/src/(adapters|jobs|db)/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'routes-go-through-services',
      'routes never see a store, the database or an adapter',
      { path: '[.]routes[.]ts$' },
      { path: '[.]store[.]ts$|^apps/api/src/(db|adapters|jobs)/' },
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
