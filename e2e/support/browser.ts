import { constants } from 'node:fs'
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const cacheRoot = fileURLToPath(new URL('../../node_modules/.cache/mira/', import.meta.url))
const systemNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/** Options of Playwright's `chromium.launch` for this machine. */
export type ChromiumLaunchOptions = { executablePath: string; args: string[]; env: Record<string, string> }

/**
 * Finds a Chromium: the one `E2E_CHROMIUM` names, else the npm package's (Linux x64; unpacked once, with its own
 * libraries and font, so that the machine needs neither), else one on PATH.
 *
 * @throws Error with instructions when there is none.
 */
export async function chromiumLaunchOptions(): Promise<ChromiumLaunchOptions> {
  const configuredPath = process.env.E2E_CHROMIUM
  if (configuredPath) return { executablePath: configuredPath, args: sandboxArgs(), env: currentEnvironment() }
  if (process.platform === 'linux' && process.arch === 'x64') return npmChromium()
  const executablePath = await findOnPath(systemNames)
  if (executablePath) return { executablePath, args: sandboxArgs(), env: currentEnvironment() }
  throw new Error(
    `No Chromium for ${process.platform} ${process.arch}: install one, or set E2E_CHROMIUM to the path of its executable.`,
  )
}

async function npmChromium(): Promise<ChromiumLaunchOptions> {
  const folder = path.join(cacheRoot, `chromium-${await packageVersion()}`)
  if (!(await isReadable(folder))) await unpackInto(folder)
  const libraries = [path.join(folder, 'al2023/lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':')
  return {
    executablePath: path.join(folder, 'chromium'),
    // The package's own list has --single-process and --disable-web-security, which tests must not run with.
    args: ['--no-sandbox', '--headless=shell', '--font-render-hinting=none'],
    env: { ...currentEnvironment(), LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: path.join(folder, 'fontconfig') },
  }
}

/** Unpacks into a temporary folder and renames it, so that neither a killed run nor two concurrent ones leave half a browser. */
async function unpackInto(folder: string): Promise<void> {
  await mkdir(cacheRoot, { recursive: true })
  const draft = await mkdtemp(`${folder}-`)
  try {
    await unpackPackage(draft)
    await writeFontConfig(draft, folder)
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!(await isReadable(folder))) throw error
  }
}

/** Unpacks the package, which does so into TMPDIR, and includes its NSS libraries only when it thinks that it's running in a Lambda. */
async function unpackPackage(target: string): Promise<void> {
  const changedNames = ['TMPDIR', 'AWS_EXECUTION_ENV', 'FONTCONFIG_PATH', 'LD_LIBRARY_PATH', 'HOME']
  const savedValues = changedNames.map((name) => [name, process.env[name]] as const)
  process.env.TMPDIR = target
  process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs22.x'
  try {
    const { default: chromium } = await import('@sparticuz/chromium')
    await chromium.executablePath()
  } finally {
    for (const [name, value] of savedValues) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** Configures fontconfig for the package's Open Sans and any fonts of the machine. */
async function writeFontConfig(draft: string, folder: string): Promise<void> {
  await mkdir(path.join(draft, 'fontconfig'))
  await writeFile(
    path.join(draft, 'fontconfig/fonts.conf'),
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fontconfig/cache</cachedir>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`,
  )
}

async function packageVersion(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const description = await readFile(path.join(path.dirname(entry), '../package.json'), 'utf8')
  return (JSON.parse(description) as { version: string }).version
}

async function findOnPath(names: string[]): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
    for (const name of names) {
      const candidate = path.join(folder, name)
      if (await isReadable(candidate, constants.X_OK)) return candidate
    }
  }
  return undefined
}

function isReadable(file: string, mode = constants.R_OK): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  )
}

/** Chromium doesn't start with its sandbox when root runs it, as in containers. */
function sandboxArgs(): string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : []
}

function currentEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}
