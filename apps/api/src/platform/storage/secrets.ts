import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartupError } from '../../errors.ts'

const JWT_SECRET_FILE = 'jwt-secret'
const SECRET_BYTES = 48
const SECRET_MIN_CHARACTERS = 32

/**
 * The secret that signs tokens: the configured one, or the one in the data folder, created at the first start.
 * @throws StartupError when the folder isn't writable or the file contains no secret.
 */
export function loadJwtSecret(options: { configured: string | undefined; dataDir: string }): string {
  const { configured, dataDir } = options
  if (configured !== undefined) return configured
  const file = join(dataDir, JWT_SECRET_FILE)
  try {
    mkdirSync(dataDir, { recursive: true })
    if (!existsSync(file)) createOnce(file, randomBytes(SECRET_BYTES).toString('base64url'))
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
    const secret = readFileSync(file, 'utf8').trim()
    if (secret.length >= SECRET_MIN_CHARACTERS) return secret
  } catch (error) {
    throw new StartupError(`DATA_DIR ${dataDir} isn’t writable: ${(error as Error).message}`, { cause: error })
  }
  throw new StartupError(`${file} contains no secret. Delete it so that a new one is created, or set JWT_SECRET.`)
}

/** Finds the secret that loadJwtSecret would load, without creating one; undefined when there is none. */
export function findJwtSecret({ configured, dataDir }: Parameters<typeof loadJwtSecret>[0]): string | undefined {
  if (configured !== undefined) return configured
  try {
    return readFileSync(join(dataDir, JWT_SECRET_FILE), 'utf8').trim()
  } catch {
    return undefined
  }
}

/** Atomically creates a file that only its owner can read, unless another server created it at the same time. */
function createOnce(file: string, text: string): void {
  const draft = `${file}.${randomUUID()}`
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // some file systems have no hard links
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') {
      if (!existsSync(file)) writeFileSync(file, text, { mode: 0o600, flag: 'wx', flush: true })
    } else if (code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Identifies a secret without revealing it. */
export function fingerprintOf(secret: string): string {
  return createHash('sha256').update(`mira:${secret}`).digest('hex').slice(0, 16)
}
