import { useQuery } from '@tanstack/react-query'
import { fetchConfig } from '../../api/system.ts'
import { FILE_MAX_BYTES } from './limits.ts'

/** How large a file may be on this server; the most that any server takes until that is known. */
export function useFileMaxBytes(): number {
  const { data } = useQuery({ queryKey: ['config'], queryFn: ({ signal }) => fetchConfig(signal) })
  return data?.limits.upload_bytes ?? FILE_MAX_BYTES
}
