import { type FileFormat, fileFormats } from '@mira/shared'
import { UnsupportedTypeError, ValidationError } from '../../../errors.ts'
import type { SniffedFile } from '../../../parsers/sniff/sniff.ts'
import type { Admit } from '../../../platform/storage/admission.ts'
import type { Files, ReceivedFile } from '../../../platform/storage/files.ts'
import type { EffectSource } from './effects.service.ts'

/** A picture of the memory, lent as a file. */
export type UseMediaPicture = <Answer>(
  wanted: { userId: string; mediaId: string; number: number | undefined; signal: AbortSignal },
  use: (picture: { filename: string; name: string }) => Promise<Answer>,
) => Promise<Answer>

export interface SourcesDeps {
  files: Pick<Files, 'receive'>
  sniffFile(filename: string): Promise<SniffedFile>
  /** Lets a request in, when there is room for it and the person has not too many under way. */
  admit: Admit
  /** Removes characters that can't be displayed or stored from a file name; `fallback` when nothing is left. */
  cleanName(name: string, fallback: string): string
  /** @throws NotFoundError when it is not the person's, ValidationError when there is no picture of it. */
  useMediaPicture: UseMediaPicture
}

export type SourcesService = ReturnType<typeof createSourcesService>

/** True for accepted uploads; an item of the memory may be any picture. */
const isAccepted = (format: FileFormat) => 'isEffectSource' in fileFormats[format]

/** Source pictures of effects. */
export function createSourcesService({ files, sniffFile, admit, cleanName, useMediaPicture }: SourcesDeps) {
  return {
    /** Receives an uploaded file, to be discarded after use. */
    receive: files.receive,

    admit,

    /** @throws ValidationError when it is empty, UnsupportedTypeError when its content is no picture. */
    async ofFile({ name, file }: { name: string; file: ReceivedFile }): Promise<EffectSource> {
      if (file.sizeBytes === 0) throw new ValidationError('This file is empty.', { code: 'empty_file' })
      const sniffed = await sniffFile(file.filename)
      if (sniffed.mediaType !== 'image' || !isAccepted(sniffed.format)) {
        throw new UnsupportedTypeError('This file is not a picture that can be read. Use JPEG, PNG, WebP or BMP.')
      }
      return {
        filename: file.filename,
        name: cleanName(name, `picture.${sniffed.format}`),
        mediaId: null,
      }
    },

    /** Lends a picture of the memory. Throws as useMediaPicture does. */
    useItem: <Answer>(
      wanted: Parameters<UseMediaPicture>[0],
      use: (source: EffectSource) => Promise<Answer>,
    ): Promise<Answer> => useMediaPicture(wanted, (picture) => use({ ...picture, mediaId: wanted.mediaId })),
  }
}
