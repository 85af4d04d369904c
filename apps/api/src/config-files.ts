import { MEBIBYTE } from '@mira/shared/constants/limits'
import { z } from 'zod'
import { isHttpUrl, optionalText } from './config-addresses.ts'
import { StartupError } from './errors.ts'
import type { FileStoreConfig } from './platform/storage/open-files.ts'
import { readS3Address } from './platform/storage/s3-store.ts'

/** Variables for storing users' files. The AWS variables are only validated with FILES_URL, since they may be set for other programs. */
export const fileStoreVariables = {
  FILES_URL: optionalText.refine((text) => text === undefined || readS3Address(text) !== undefined, {
    error: 'must be an address such as s3://bucket/prefix (leave it out to keep files in DATA_DIR)',
  }),
  FILES_S3_ENCRYPTION: z.enum(['AES256', 'aws:kms'], { error: 'must be AES256 or aws:kms' }).optional(),
  AWS_ENDPOINT_URL: optionalText,
  AWS_ENDPOINT_URL_S3: optionalText,
  AWS_REGION: optionalText,
  AWS_DEFAULT_REGION: optionalText,
  AWS_ACCESS_KEY_ID: optionalText,
  AWS_SECRET_ACCESS_KEY: optionalText,
  AWS_SESSION_TOKEN: optionalText,
}

const DEFAULT_REGION = 'us-east-1'

type FileStoreEnvironment = { FILES_CACHE_MB: number } & {
  [Name in keyof typeof fileStoreVariables]?: z.output<(typeof fileStoreVariables)[Name]>
}

/** @throws StartupError for an invalid endpoint, or when only one of the two keys is set. */
export function readFileStore(env: FileStoreEnvironment): FileStoreConfig {
  const cacheBytes = env.FILES_CACHE_MB * MEBIBYTE
  const location = env.FILES_URL === undefined ? undefined : readS3Address(env.FILES_URL)
  if (location === undefined) return { s3: undefined, cacheBytes }
  return { s3: { ...location, ...readAccess(env), encryption: env.FILES_S3_ENCRYPTION }, cacheBytes }
}

function readAccess(env: FileStoreEnvironment) {
  const endpoint = env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL
  if (endpoint !== undefined && !isHttpUrl(endpoint)) {
    const name = env.AWS_ENDPOINT_URL_S3 === undefined ? 'AWS_ENDPOINT_URL' : 'AWS_ENDPOINT_URL_S3'
    throw new StartupError(`The configuration is wrong: ${name} must begin with http:// or https://.`)
  }
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = env
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new StartupError('The configuration is wrong: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither.')
  }
  return {
    endpoint,
    region: env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? DEFAULT_REGION,
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined
        ? undefined
        : { accessKeyId, secretAccessKey, ...(token === undefined ? {} : { sessionToken: token }) },
  }
}
