// @vitest-environment happy-dom
import type { MediaDetailJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { loadTexts } from '../../lib/i18n/i18n.ts'
import { PictureStage } from './picture-stage.tsx'

const item = {
  ...{ id: 'a', url: '/a.jpg', caption: 'A ferry', words: [], motion: { url: '/a.mp4' }, processing_steps: [] },
  metadata: { original_filename: 'a.jpg', content_type: 'image/jpeg', width: 4, height: 3 },
} as unknown as MediaDetailJson
const stage = <PictureStage item={item} words="" box={null} onSwipe={() => {}} />

it('plays a live photo once, even when something else changes meanwhile', async () => {
  await loadTexts('gallery')
  const play = vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue()
  const { user } = await renderPart(stage)
  await user.click(screen.getByRole('button', { pressed: false, name: /live/i }))
  await user.click(screen.getByRole('button', { name: 'Zoom in' }))
  expect(play).toHaveBeenCalledOnce()
})

it('plays a live photo on request, and resets the button when the browser refuses', async () => {
  await loadTexts('gallery')
  const play = vi.spyOn(HTMLMediaElement.prototype, 'play').mockRejectedValue(new Error('NotAllowedError'))
  const { user } = await renderPart(stage)
  const button = screen.getByRole('button', { pressed: false, name: /live/i })
  await user.click(button)
  expect(play).toHaveBeenCalled()
  await vi.waitFor(() => expect(button.getAttribute('aria-pressed')).toBe('false'))
})
