import type { Readable } from 'node:stream'
import { NotFoundError, RemoteStoreError } from '../../errors.ts'
import { loadOnce } from '../lib/load-once.ts'
import type { ByteRange } from './files.ts'
import type { RemoteStore } from './folder-store.ts'

interface S3Location {
  bucket: string
  /** Prefix of every key; empty, or ends with a slash. */
  prefix: string
}

interface S3Access {
  /** Address of the server; undefined for Amazon S3. */
  endpoint: string | undefined
  region: string
  /** Undefined to use the AWS SDK's default credentials: profiles, and roles of machines and containers. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined
}

export interface S3Options extends S3Location, S3Access {
  /** Names of environment variables for error messages. */
  variables: Record<'endpoint' | 'accessKeyId' | 'secretAccessKey', string>
  /** Ignore AWS_ENDPOINT_URL, which is for users' files. */
  ignoresAwsEndpoint?: boolean
  /** Server-side encryption of new objects. */
  encryption?: 'AES256' | 'aws:kms' | undefined
  /** Time without any byte after which an attempt fails. */
  silenceMs?: number
}

const CONNECT_TIMEOUT_MS = 10_000
const SILENCE_TIMEOUT_MS = 30_000
const MAX_ATTEMPTS = 3
/** High, because each slow reader occupies a connection. */
const MAX_CONNECTIONS = 500
const MIN_PART_BYTES = 8 * 1024 * 1024
/** S3's limit is 10,000. */
const MAX_PARTS = 9_000
const PARTS_AT_ONCE = 2

const sdk = loadOnce(async () => {
  const [client, storage] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')])
  return { ...client, Upload: storage.Upload }
})

/** Bucket and prefix of `s3://bucket/prefix`; undefined for any other text. */
export function readS3Address(address: string): S3Location | undefined {
  const [, bucket, path = ''] = /^s3:\/\/([^/\s]+)\/?(.*)$/.exec(address) ?? []
  if (bucket === undefined) return undefined
  const folder = path.replace(/(?<!\/)\/+$/, '')
  return { bucket, prefix: folder === '' ? '' : `${folder}/` }
}

/** Opens a bucket of any S3-compatible server. */
export async function openS3Store(options: S3Options): Promise<RemoteStore> {
  const { bucket, prefix, endpoint, region, credentials, variables, encryption, ignoresAwsEndpoint = false } = options
  const { silenceMs = SILENCE_TIMEOUT_MS } = options
  const s3 = await sdk()
  const agent = { maxSockets: MAX_CONNECTIONS, keepAlive: true }
  const client = new s3.S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
    ignoreConfiguredEndpointUrls: ignoresAwsEndpoint,
    maxAttempts: MAX_ATTEMPTS,
    // servers other than Amazon's don't support trailing checksums; content is authenticated by its encryption, or by its
    // name, which contains its hash
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: silenceMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
  const service = endpoint ?? 'Amazon S3'
  const withPlainErrors = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call
    } catch (error) {
      throw asRemoteError(error, { bucket, service, variables })
    }
  }
  const keyOf = (name: string) => ({ Bucket: bucket, Key: `${prefix}${name}` })
  return {
    address: `s3://${bucket}/${prefix}`,
    async *list(namePrefix) {
      let token: string | undefined
      do {
        const page = await withPlainErrors(
          client.send(
            new s3.ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}${namePrefix}`, ContinuationToken: token }),
          ),
        )
        for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
          yield { name: Key.slice(prefix.length), sizeBytes: Size, modifiedAt: LastModified }
        }
        token = page.IsTruncated ? page.NextContinuationToken : undefined
      } while (token !== undefined)
    },
    async read(name, range) {
      const { Body, ContentLength, ContentRange } = await withPlainErrors(
        client.send(new s3.GetObjectCommand({ ...keyOf(name), Range: rangeHeader(range) })),
      )
      const sizeBytes = Number(/\/(\d+)$/.exec(ContentRange ?? '')?.[1] ?? ContentLength)
      const stream = Body as Readable
      if (Number.isSafeInteger(sizeBytes)) return { sizeBytes, stream }
      stream.destroy()
      throw new RemoteStoreError(
        `${service} doesn’t say how large a file is: a proxy in between changes its responses.`,
      )
    },
    async write(name, content, sizeBytes, signal) {
      signal?.throwIfAborted()
      const partSize = Math.max(MIN_PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS))
      const upload = new s3.Upload({
        client,
        params: { ...keyOf(name), Body: content, ServerSideEncryption: encryption },
        partSize,
        queueSize: PARTS_AT_ONCE,
      })
      const abort = () => void upload.abort()
      signal?.addEventListener('abort', abort, { once: true })
      try {
        await withPlainErrors(upload.done())
      } finally {
        signal?.removeEventListener('abort', abort)
        content.destroy()
      }
    },
    async remove(name) {
      await withPlainErrors(client.send(new s3.DeleteObjectCommand(keyOf(name))))
    },
    async removeAbandoned(before) {
      const { Uploads = [] } = await withPlainErrors(
        client.send(new s3.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix })),
      )
      for (const { Key, UploadId, Initiated } of Uploads) {
        if (Initiated !== undefined && Initiated < before)
          await withPlainErrors(client.send(new s3.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })))
      }
    },
    close: () => client.destroy(),
  }
}

function rangeHeader({ start = 0, end }: ByteRange = {}): string | undefined {
  return start === 0 && end === undefined ? undefined : `bytes=${start}-${end ?? ''}`
}

function asRemoteError(
  error: unknown,
  { bucket, service, variables }: { service: string } & Pick<S3Options, 'bucket' | 'variables'>,
): unknown {
  const { name, code, message } = error as Error & { code?: string }
  const storeError = (text: string) => new RemoteStoreError(text, { cause: error })
  switch (name) {
    case 'NoSuchKey':
      return new NotFoundError('This file is not there.')
    case 'NotFound':
      // S3 itself names what is missing, so this 404 comes from something else, such as a proxy
      return storeError(`${service} doesn’t respond like S3 (404). Check ${variables.endpoint}.`)
    case 'NoSuchBucket':
      return storeError(`${service} has no bucket “${bucket}”. Create it, or correct the address.`)
    case 'InvalidAccessKeyId':
      return storeError(`${service} doesn’t know the access key. Check ${variables.accessKeyId}.`)
    case 'SignatureDoesNotMatch':
      return storeError(`${service} refused the secret key. Check ${variables.secretAccessKey}.`)
    case 'AccessDenied':
    case 'Forbidden':
      return storeError(
        `${service} doesn’t let this key use the bucket “${bucket}”. Let it list, read, write and delete.`,
      )
    case 'AbortError':
      return error
  }
  if (code !== undefined && /^(ECONN|ENOTFOUND|EAI|EHOST|ENET|ETIMEDOUT)/.test(code)) {
    return storeError(`${service} can’t be reached (${code}). Check ${variables.endpoint} and the network.`)
  }
  return storeError(`${service} reported an error: ${message}`)
}
