import { type FileFormat, fileFormats } from '@mira/shared'
import { UnsupportedTypeError, ValidationError } from '../../../errors.ts'
import { sniffFile } from '../../../parsers/sniff/sniff.ts'
import type { Admit } from '../../../platform/storage/admission.ts'
import type { Files, ReceivedFile } from '../../../platform/storage/files.ts'
import { cleanFileName, type createItemPictures } from '../../library/index.ts'
import type { EffectSource } from './effects.service.ts'

type ItemPictures = ReturnType<typeof createItemPictures>

export interface SourcesDeps {
  files: Pick<Files, 'receive'>
  /** Lets a request in, when there is room for it and the person has not too many under way. */
  admit: Admit
  itemPictures: ItemPictures
}

export type SourcesService = ReturnType<typeof createSourcesService>

/** True for accepted uploads; an item of the memory may be any picture. */
const isAccepted = (format: FileFormat) => 'isEffectSource' in fileFormats[format]

/** Source pictures of effects. */
export function createSourcesService({ files, admit, itemPictures }: SourcesDeps) {
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
        name: cleanFileName(name, `picture.${sniffed.format}`),
        mediaId: null,
      }
    },

    /** Lends a picture of the memory. @throws NotFoundError, ValidationError as `ItemPictures.use` does. */
    useItem: <Result>(
      wantedPicture: Parameters<ItemPictures['use']>[0],
      use: (source: EffectSource) => Promise<Result>,
    ): Promise<Result> =>
      itemPictures.use(wantedPicture, (picture) => use({ ...picture, mediaId: wantedPicture.mediaId })),
  }
}
