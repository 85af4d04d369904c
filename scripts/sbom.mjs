// `npm run sbom`: writes the packages that the server and the web app ship to dist/, as a CycloneDX document and a page of
// licences. Fails on a package whose licence isn't in the list below, and asks the registry for known vulnerabilities.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'dist')

/** SPDX licences that may be shipped with MIT code: permissive ones, and file- or library-level copyleft. */
const ALLOWED = new Set([
  ...[
    'MIT',
    'MIT-0',
    'ISC',
    'BSD-2-Clause',
    'BSD-3-Clause',
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'Unlicense',
    'CC0-1.0',
  ],
  ...['Zlib', 'Python-2.0', 'OFL-1.1', 'CC-BY-4.0', 'MPL-2.0', 'LGPL-3.0', 'LGPL-3.0-only', 'LGPL-3.0-or-later'],
])
/** Licences of packages that state their licence only in a file beside package.json. */
const KNOWN_LICENSES = { '@shinyoshiaki/jspack': 'BSD-3-Clause', async: 'MIT', 'combine-errors': 'MIT' }

const pnpm = (...args) => spawnSync('pnpm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })

const sbom = pnpm(
  'sbom',
  '--sbom-format',
  'cyclonedx',
  '--sbom-spec-version',
  '1.6',
  '--sbom-type',
  'application',
  '--prod',
)
if (sbom.status !== 0) {
  console.error(`${sbom.stderr}\nThe packages couldn’t be listed.`)
  process.exit(1)
}
const components = JSON.parse(sbom.stdout).components.filter(({ purl }) => !purl.includes('/%40mira/'))
const rows = components.map((component) => {
  const name = component.group ? `${component.group}/${component.name}` : component.name
  const declared = component.licenses
    ?.map(({ license, expression }) => expression ?? license.id ?? license.name)
    .join(' AND ')
  return { name, version: component.version, license: declared ?? KNOWN_LICENSES[name] ?? 'unknown' }
})
rows.sort((a, b) => (a.name === b.name ? a.version.localeCompare(b.version) : a.name < b.name ? -1 : 1))

mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'sbom.cdx.json'), sbom.stdout)
const lines = rows.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`)
writeFileSync(
  join(folder, 'licenses.md'),
  `# Third-party licences\n\n| package | version | licence |\n|---|---|---|\n${lines.join('\n')}\n`,
)
console.info(`${rows.length} packages in dist/sbom.cdx.json (CycloneDX 1.6) and dist/licenses.md`)

/** True for an allowed SPDX expression: with OR, one of its licences must be allowed; with AND, each. */
const isAllowed = (expression) =>
  expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((part) => part.split(' AND ').every((id) => ALLOWED.has(id.trim())))
const refused = rows.filter(({ license }) => !isAllowed(license))
for (const { name, version, license } of refused) console.error(`licence not allowed: ${name}@${version} (${license})`)

const audit = pnpm('audit', '--prod')
const advisories = `${audit.stdout}${audit.stderr}`.trim()
const isUnsupported = /40[45]|ERR_PNPM_AUDIT/.test(advisories)
console.info(
  isUnsupported ? 'This registry publishes no advisories; run `pnpm audit --prod` with one that does.' : advisories,
)
process.exit(refused.length > 0 || (audit.status !== 0 && !isUnsupported) ? 1 : 0)
