import { acceptedExtensionsOf, uploadContentTypes, videoOrTextEndings } from '@mira/shared/constants/formats'
import { LARGE_UPLOAD_DEFAULT_BYTES, PICTURE_OR_DOCUMENT_MAX_BYTES } from '@mira/shared/constants/limits'
import { mediaTypes } from '@mira/shared/constants/media'
import { isSystemFile } from '@mira/shared/constants/system-files'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

/** Size limits for files. */
export interface FileLimits {
  /** For videos and recordings. */
  maxBytes: number
  /** For pictures and documents. */
  stillMaxBytes: number
}

/** Size limits of this server; the defaults until they're known. */
export function useFileLimits(): FileLimits {
  const { data } = useQuery({ queryKey: ['config'], queryFn: ({ signal }) => call('GET /config', { signal }) })
  return {
    maxBytes: data?.limits.upload_bytes ?? LARGE_UPLOAD_DEFAULT_BYTES,
    stillMaxBytes: data?.limits.still_upload_bytes ?? PICTURE_OR_DOCUMENT_MAX_BYTES,
  }
}

/** The server refuses an empty file. */
export const FILE_MIN_BYTES = 1
/** Maximum length of the queue, in case a whole disk is dropped by accident. */
export const QUEUE_MAX_FILES = 2_000
/** Length of a text's preview. */
export const PREVIEW_CHARACTERS = 100

/** Reason for rejecting a file. */
export type RejectionReason = 'archive' | 'type' | 'too-large' | 'still-too-large' | 'too-small' | 'too-many'

/** A rejected file. */
export interface Rejection {
  name: string
  reason: RejectionReason
}

type Candidate = Pick<File, 'name' | 'type' | 'size' | 'lastModified'> & { webkitRelativePath?: string; path?: string }

const knownExtensions = new Set(acceptedExtensionsOf(...mediaTypes))
const largeExtensions = new Set([...acceptedExtensionsOf('video', 'audio'), ...videoOrTextEndings])
const knownTypes = new Set(uploadContentTypes)

/** Splits files into accepted and rejected ones; ignores hidden files and those that are already in the queue. */
export function checkFilesBeforeUpload<AnyCandidate extends Candidate>(
  files: readonly AnyCandidate[],
  queuedFiles: readonly Candidate[],
  limits: FileLimits,
): { accepted: AnyCandidate[]; rejections: Rejection[] } {
  const identities = new Set(queuedFiles.map(identityOf))
  const accepted: AnyCandidate[] = []
  const rejections: Rejection[] = []
  for (const file of files) {
    const identity = identityOf(file)
    if (identities.has(identity) || isSystemFile(file.webkitRelativePath || file.path || file.name)) continue
    const reason = rejectionReasonOf(file, limits) ?? (identities.size >= QUEUE_MAX_FILES ? 'too-many' : undefined)
    if (reason !== undefined) rejections.push({ name: file.name, reason })
    else {
      identities.add(identity)
      accepted.push(file)
    }
  }
  return { accepted, rejections }
}

function rejectionReasonOf({ name, type, size }: Candidate, limits: FileLimits): RejectionReason | undefined {
  // a time such as 10.15.33 at the end isn't an ending
  const extension = /\.([a-z0-9]*[a-z][a-z0-9]*)$/i.exec(name)?.[1]?.toLowerCase()
  // the server explains which texts it doesn't read
  const isKnown = knownExtensions.has(extension ?? '') || knownTypes.has(type.toLowerCase()) || /^text\//i.test(type)
  if (extension === 'zip') return 'archive'
  if (!isKnown) return 'type'
  if (size > limits.maxBytes) return 'too-large'
  if (size > limits.stillMaxBytes && isStill(extension, type)) return 'still-too-large'
  if (size < FILE_MIN_BYTES) return 'too-small'
  return undefined
}

/** True when the extension, or else the MIME type of a file without one, is neither a video's nor a recording's. */
function isStill(extension: string | undefined, type: string): boolean {
  return extension === undefined ? !/^(video|audio)\//.test(type) : !largeExtensions.has(extension)
}

function identityOf(file: Candidate): string {
  return JSON.stringify([folderPathOf(file), file.name, file.size, file.lastModified])
}

/** Path of a file's folder from the chosen or dropped folder on, like `letters/2026`; empty for single files. */
export function folderPathOf(file: Pick<Candidate, 'webkitRelativePath' | 'path'>): string {
  const path = file.webkitRelativePath || file.path || ''
  return path
    .split('/')
    .slice(0, -1)
    .filter((part) => part !== '' && part !== '.')
    .join('/')
}
