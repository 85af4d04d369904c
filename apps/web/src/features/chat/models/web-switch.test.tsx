// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { WebSwitch } from './web-switch.tsx'

const model = {
  id: 'm',
  name: 'M',
  connection: 'C',
  vision: null,
  tools: null,
  context_tokens: null,
  price: null,
  is_default: true,
}
const open = (allowed: boolean, parameters: { temperature?: number; use_web?: boolean } | null) => {
  route('GET /web').mockResolvedValue({ allowed, search: allowed })
  route('GET /models').mockResolvedValue([model])
  const onChoose = vi.fn()
  return renderPart(<WebSwitch choice={{ model: null, parameters }} isBusy={false} onChoose={onChoose} />).then(
    ({ user }) => ({ user, onChoose }),
  )
}
afterEach(() => vi.restoreAllMocks())

test('web search is off by default, and turning it on keeps other parameters', async () => {
  const { user, onChoose } = await open(true, { temperature: 1 })
  const button = await screen.findByRole('button', { name: 'Search the web in this chat' })
  expect(button.getAttribute('aria-pressed')).toBe('false')
  await user.click(button)
  expect(onChoose).toHaveBeenCalledWith({ model: null, parameters: { temperature: 1, use_web: true } })
})

test('turning web search off leaves no parameters', async () => {
  const { user, onChoose } = await open(true, { use_web: true })
  await user.click(await screen.findByRole('button', { name: 'Web search is on: turn it off' }))
  expect(onChoose).toHaveBeenCalledWith({ model: null, parameters: null })
})
