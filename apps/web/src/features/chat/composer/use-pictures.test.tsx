// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { readPicture } from '../conversation/choose-pictures.ts'
import type { Drafts } from '../conversation/drafts.ts'
import { usePictures } from './use-pictures.ts'

vi.mock('../../../ui/show-toast.ts')
vi.mock('../conversation/choose-pictures.ts', async (original) => ({
  ...(await original<object>()),
  readPicture: vi.fn(),
}))

const drafts = { pictures: { read: async () => [], write: () => {} } } as unknown as Drafts
const files = ['beach.png', 'gone.png', 'boat.png'].map((name) => new File(['x'], name, { type: 'image/png' }))

function Pictures() {
  const { pictures, add } = usePictures(drafts, null, '0')
  return (
    <button type="button" onClick={() => add(files)}>
      {pictures.map(({ name }) => name).join(' ')}
    </button>
  )
}

beforeEach(async () => {
  vi.resetAllMocks()
  await loadTexts('chat')
})

it('adds the readable pictures beside one that can’t be read', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  vi.mocked(readPicture).mockImplementation(async ({ name }) => {
    if (name === 'gone.png') throw new Error('no longer on the disk')
    return { name, url: `blob:${name}`, data: 'data:image/png;base64,eA==' }
  })
  await renderPart(<Pictures />)
  screen.getByRole('button').click()
  await screen.findByText('beach.png boat.png')
  expect(vi.mocked(showToast).mock.calls).toEqual([[{ tone: 'danger', title: 'The picture couldn’t be read' }]])
})
