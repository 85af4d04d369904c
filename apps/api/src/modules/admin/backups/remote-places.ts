import type { Config } from '../../../config.ts'
import { RemoteStoreError } from '../../../errors.ts'
import { openFolderStore } from '../../../platform/storage/folder-store.ts'
import type { RemoteStore } from '../../../platform/storage/remote-store.ts'
import { openS3Store } from '../../../platform/storage/s3-store.ts'
import { openRepository, type Repository } from './repository.ts'

export type OffsiteConfig = Pick<Config, 'backupS3'> & { backupPassphrase?: string | undefined }

const S3_ADDRESS = /^s3:\/\/([^/]+)\/?(.*)$/

/** Opens `s3://bucket/prefix` with the keys of the environment, or a folder. @throws RemoteStoreError */
async function openPlace(address: string, { backupS3 }: OffsiteConfig): Promise<RemoteStore> {
  const [, bucket, path = ''] = S3_ADDRESS.exec(address) ?? []
  if (bucket === undefined) return openFolderStore(address)
  const { accessKeyId, secretAccessKey, endpoint, region } = backupS3
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new RemoteStoreError(
      'An S3 server needs keys: set BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY on the server.',
    )
  }
  const folder = path.replace(/(?<!\/)\/+$/, '')
  const prefix = folder === '' ? '' : `${folder}/`
  return openS3Store({ bucket, prefix, endpoint, region, accessKeyId, secretAccessKey })
}

/** Opens the encrypted backups at an address. @throws RemoteStoreError */
export async function openOffsite(
  address: string,
  config: OffsiteConfig,
  { isCreating }: { isCreating: boolean },
): Promise<Repository> {
  if (config.backupPassphrase === undefined) {
    throw new RemoteStoreError('Copies off-site are encrypted: set BACKUP_PASSPHRASE, and keep it elsewhere, too.')
  }
  const place = await openPlace(address, config)
  try {
    return await openRepository(place, config.backupPassphrase, { isCreating })
  } catch (error) {
    place.close()
    throw error
  }
}
