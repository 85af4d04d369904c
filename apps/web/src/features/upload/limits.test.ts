import { UPLOAD_MAX_BYTES } from '@mira/shared'
import { expect, it } from 'vitest'
import { FILE_MAX_BYTES } from './limits.ts'

it('takes files as large as the server does', () => {
  expect(FILE_MAX_BYTES).toBe(UPLOAD_MAX_BYTES)
})
