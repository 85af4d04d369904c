import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../log.ts'
import { createDiskFiles } from './disk.ts'
import { CACHE_FOLDER } from './file-cache.ts'
import { type Files, OWNER_PATTERN } from './files.ts'
import { createRemoteFiles } from './remote-files.ts'
import { openS3Store, type S3Options } from './s3-store.ts'

/** Configuration of the store of users' files. */
export interface FileStoreConfig {
  /** Bucket for the files; undefined to store them in DATA_DIR/files. */
  s3: Omit<S3Options, 'variables' | 'ignoresAwsEndpoint'> | undefined
  /** Maximum total size of local copies of files in S3. */
  cacheBytes: number
}

const variables = {
  endpoint: 'AWS_ENDPOINT_URL',
  accessKeyId: 'AWS_ACCESS_KEY_ID',
  secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
}

/**
 * Opens the store of users' files; S3 may be unreachable at this time.
 * @throws StartupError when DATA_DIR/files isn't writable.
 */
export async function openFiles(
  { dataDir, fileStore }: { dataDir: string; fileStore?: FileStoreConfig | undefined },
  log: Log,
): Promise<Files> {
  const directory = join(dataDir, 'files')
  if (fileStore?.s3 === undefined) {
    // remove the cache of an earlier S3 configuration
    await rm(join(directory, CACHE_FOLDER), { recursive: true, force: true })
    return createDiskFiles({ directory })
  }
  const store = await openS3Store({ ...fileStore.s3, variables })
  const files = await createRemoteFiles({ store, directory, cacheBytes: fileStore.cacheBytes, log })
  if ((await readdir(directory)).some((name) => OWNER_PATTERN.test(name))) {
    log.warn({ directory }, 'users’ files on this disk are not used with FILES_URL; `npm run move-files` moves them')
  }
  return files
}
