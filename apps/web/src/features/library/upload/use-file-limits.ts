import { LARGE_UPLOAD_USUAL_BYTES, STILL_UPLOAD_MAX_BYTES } from '@mira/shared/constants/limits'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

/** Size limits for files. */
export interface FileLimits {
  /** Films and recordings. */
  maxBytes: number
  /** Pictures and documents. */
  stillMaxBytes: number
}

/** Size limits of this server; the defaults until they're known. */
export function useFileLimits(): FileLimits {
  const { data } = useQuery({ queryKey: ['config'], queryFn: ({ signal }) => call('GET /config', { signal }) })
  return {
    maxBytes: data?.limits.upload_bytes ?? LARGE_UPLOAD_USUAL_BYTES,
    stillMaxBytes: data?.limits.still_upload_bytes ?? STILL_UPLOAD_MAX_BYTES,
  }
}
