// @vitest-environment happy-dom
import type { MediaDetailJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { loadTexts } from '../../lib/i18n/i18n.ts'
import { PictureStage } from './picture-stage.tsx'

it('plays a live photo when asked to, and stands still again where the browser refuses', async () => {
  await loadTexts('gallery')
  const play = vi.spyOn(HTMLMediaElement.prototype, 'play').mockRejectedValue(new Error('NotAllowedError'))
  const item = {
    ...{ id: 'a', url: '/a.jpg', caption: 'A ferry', words: [], motion: { url: '/a.mp4' }, processing_steps: [] },
    metadata: { original_filename: 'a.jpg', content_type: 'image/jpeg', width: 4, height: 3 },
  } as unknown as MediaDetailJson
  const { user } = await renderPart(<PictureStage item={item} words="" box={null} onSwipe={() => {}} />)
  const button = screen.getByRole('button', { pressed: false, name: /live/i })
  await user.click(button)
  expect(play).toHaveBeenCalled()
  await vi.waitFor(() => expect(button.getAttribute('aria-pressed')).toBe('false'))
})
