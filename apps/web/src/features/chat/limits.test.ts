import * as shared from '@mira/shared'
import { expect, it } from 'vitest'
import * as limits from './limits.ts'

it('states the limits of the contract', () => {
  expect({ ...limits }).toEqual({
    MESSAGE_MAX_CHARACTERS: shared.MESSAGE_MAX_CHARACTERS,
    SESSION_NAME_MAX_CHARACTERS: shared.SESSION_NAME_MAX_CHARACTERS,
    MESSAGE_MAX_MEDIA: shared.MESSAGE_MAX_MEDIA,
    MESSAGE_MAX_IMAGES: shared.MESSAGE_MAX_IMAGES,
    IMAGE_MAX_BYTES: shared.IMAGE_MAX_BYTES,
  })
})
