import { acceptedExtensionsOf } from '@mira/shared/constants/formats'
import { MESSAGE_MAX_IMAGES } from '@mira/shared/constants/limits'
import type { OutgoingPicture } from './conversation-state.ts'

/** Pictures too large for a message are scaled down, up to this size; decoding a larger one would overload browsers. */
const SHRINKABLE_MAX_BYTES = 100 * 1024 * 1024

/** Reason for rejecting a file. */
export type RejectedPicture = { kind: 'not-image' | 'too-large'; name: string } | { kind: 'too-many' }

/**
 * Splits files into those that can be attached, in addition to the ones already chosen, and problems with the others.
 */
export function choosePictures<Candidate extends Pick<File, 'name' | 'type' | 'size'>>(
  files: readonly Candidate[],
  chosenCount: number,
): { accepted: Candidate[]; problems: RejectedPicture[] } {
  const accepted: Candidate[] = []
  const problems: RejectedPicture[] = []
  for (const file of files) {
    if (!isPicture(file)) problems.push({ kind: 'not-image', name: file.name })
    else if (file.size > SHRINKABLE_MAX_BYTES) problems.push({ kind: 'too-large', name: file.name })
    else if (chosenCount + accepted.length < MESSAGE_MAX_IMAGES) accepted.push(file)
    else if (!problems.some(({ kind }) => kind === 'too-many')) problems.push({ kind: 'too-many' })
  }
  return { accepted, problems }
}

const pictureExtensions = new Set(acceptedExtensionsOf('image'))
/** `accept` of the file input. It includes extensions, because operating systems don't know the MIME types of all formats. */
export const acceptedPictures = ['image/*', ...acceptedExtensionsOf('image').map((extension) => `.${extension}`)].join(
  ',',
)

/** True for pictures by MIME type, or by extension when the browser doesn't know the type. */
function isPicture({ name, type }: Pick<File, 'name' | 'type'>): boolean {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase()
  return type === '' ? extension !== undefined && pictureExtensions.has(extension) : type.startsWith('image/')
}

/** Reads a file so that it can be shown and sent. @throws DOMException when the browser cannot read it any more. */
export function readPicture(file: File): Promise<OutgoingPicture> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onerror = () => reject(reader.error)
    reader.onload = () => resolve({ name: file.name, url: URL.createObjectURL(file), data: reader.result as string })
    reader.readAsDataURL(file)
  })
}

/** Files of a paste or a drop. */
export function filesOf(transfer: DataTransfer | null): File[] {
  return [...(transfer?.files ?? [])]
}
