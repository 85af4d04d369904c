import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { StartupError } from '../../../errors.ts'
import { isSealedFile, SealError, unseal } from '../../../platform/storage/sealed.ts'
import { type OpenedZip, openZip } from '../../../platform/storage/unzip.ts'

/**
 * Opens an archive of the instance; an encrypted one is decrypted into `folder` first, and removed by `close`.
 * @throws StartupError when it cannot be read or decrypted.
 */
export async function openArchive(
  archive: string,
  { folder, passphrase }: { folder: string; passphrase?: (() => Promise<string>) | undefined },
): Promise<OpenedZip> {
  const isEncrypted = await isSealedFile(archive).catch(() => false)
  if (!isEncrypted) return open(archive)
  if (passphrase === undefined) throw new StartupError('The archive is encrypted: its passphrase is needed.')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const plain = join(folder, 'archive.zip')
  try {
    await unsealInto(plain, archive, await passphrase())
    const zip = await open(plain)
    // the opened file stays readable, and nothing is left behind whatever becomes of the process
    await rm(plain, { force: true })
    return zip
  } catch (error) {
    await rm(plain, { force: true })
    throw error
  }
}

async function open(archive: string): Promise<OpenedZip> {
  try {
    return await openZip(archive)
  } catch (error) {
    const reason = (error as Error).message.replace(/(?<!\.)\.+$/, '')
    throw new StartupError(`The archive ${archive} cannot be read: ${reason}.`, { cause: error })
  }
}

async function unsealInto(archive: string, sealed: string, passphrase: string): Promise<void> {
  const content = unseal(createReadStream(sealed), passphrase)
  try {
    await pipeline(content, createWriteStream(archive, { mode: 0o600 }))
  } catch (error) {
    if (error instanceof SealError) throw new StartupError(`The archive cannot be decrypted: ${error.message}.`)
    throw error
  }
}
