import { UPLOAD_MAX_BYTES } from '@mira/shared/words/limits'
import { useQuery } from '@tanstack/react-query'
import { fetchConfig } from '../../api/system.ts'

/** How large a file may be on this server; the most that any server takes until that is known. */
export function useFileMaxBytes(): number {
  const { data } = useQuery({ queryKey: ['config'], queryFn: ({ signal }) => fetchConfig(signal) })
  return data?.limits.upload_bytes ?? UPLOAD_MAX_BYTES
}
