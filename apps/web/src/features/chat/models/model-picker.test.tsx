// @vitest-environment happy-dom
import type { ChatModel } from '@mira/shared'
import { screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import type { ModelChoice } from '../conversation/conversation-state.ts'
import { ModelPicker } from './model-picker.tsx'
import type { UsedTokens } from './use-models.ts'

vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ role: 'user', preferences: { model: null } }),
}))

const model = (id: string, overrides: Partial<ChatModel> = {}): ChatModel => ({
  ...{
    id,
    name: id,
    connection: 'Home server',
    vision: null,
    tools: null,
    context_tokens: null,
    price: null,
    is_default: false,
  },
  ...overrides,
})
const defaultChoice: ModelChoice = { model: null, parameters: null }
const onChoose = vi.fn()
const picker = (choice = defaultChoice, usedTokens: UsedTokens | null = null) => (
  <ModelPicker choice={choice} usedTokens={usedTokens} isBusy={false} onChoose={onChoose} />
)

beforeEach(() => {
  vi.resetAllMocks()
  route('GET /models').mockResolvedValue([model('small', { is_default: true, context_tokens: 8000 }), model('large')])
})

it('shows the current model, and lets the user pick another', async () => {
  const { user } = await renderPart(picker())
  await user.click(await screen.findByRole('button', { name: 'Model: small' }))
  await user.click(await screen.findByRole('button', { name: /^large/ }))
  expect(onChoose).toHaveBeenCalledExactlyOnceWith({ model: 'large', parameters: null })
  expect(screen.queryByRole('dialog')).toBeNull()
})

it('applies parameters on closing, unless they are out of range', async () => {
  const { user } = await renderPart(picker({ model: 'large', parameters: { temperature: 0.3 } }))
  await user.click(await screen.findByRole('button', { name: 'Model: large' }))
  const temperature = await screen.findByRole('textbox', { name: 'Temperature' })
  await user.clear(temperature)
  await user.type(temperature, '3')
  await user.keyboard('{Escape}')
  expect(onChoose).not.toHaveBeenCalled()

  await user.click(screen.getByRole('button', { name: 'Model: large' }))
  const reopened = await screen.findByRole('textbox', { name: 'Temperature' })
  await user.clear(reopened)
  await user.selectOptions(screen.getByRole('combobox', { name: 'Thinking' }), 'Long')
  await user.keyboard('{Escape}')
  expect(onChoose).toHaveBeenCalledExactlyOnceWith({ model: 'large', parameters: { reasoning_effort: 'high' } })
})

it('accepts a decimal comma in parameters, and rejects invalid numbers', async () => {
  const { user } = await renderPart(picker({ model: 'large', parameters: null }))
  await user.click(await screen.findByRole('button', { name: 'Model: large' }))
  await user.click(await screen.findByText('Response settings'))
  await user.type(await screen.findByRole('textbox', { name: 'Temperature' }), '0,7')
  const tokens = screen.getByRole('textbox', { name: 'Maximum length' })
  await user.type(tokens, '10.000')
  expect(screen.getByText('From 1 to 1,000,000')).toBeTruthy()
  await user.keyboard('{Escape}')
  expect(onChoose).not.toHaveBeenCalled()

  await user.click(screen.getByRole('button', { name: 'Model: large' }))
  await user.type(await screen.findByRole('textbox', { name: 'Temperature' }), '0,7')
  await user.keyboard('{Escape}')
  expect(onChoose).toHaveBeenCalledExactlyOnceWith({ model: 'large', parameters: { temperature: 0.7 } })
})

it('says that the picked model is no longer connected', async () => {
  const { user } = await renderPart(picker({ model: 'gone', parameters: null }))
  await user.click(await screen.findByRole('button', { name: 'Model: gone (not connected)' }))
  expect(await screen.findByText(/“gone” of this conversation is no longer connected/)).toBeTruthy()
})

const tokensUsed = (input: number): UsedTokens => ({ input, output: 400, model: 'small' })

it('shows how full the context is, and the cost of the answer when prices are known', async () => {
  const priced = { context_tokens: 8000, price: { input: 2, output: 10 } }
  route('GET /models').mockResolvedValue([model('small', { is_default: true, ...priced })])
  const { user } = await renderPart(picker(defaultChoice, tokensUsed(1600)))
  await user.click(await screen.findByRole('button', { name: 'Model: small' }))
  expect((await screen.findByRole('progressbar')).getAttribute('aria-valuenow')).toBe('25')
  expect(screen.getByText('The latest answer cost about $0.0072 (small).')).toBeTruthy()
})

it('shows the cost of an answer by another model, but not how full the picked model’s context is', async () => {
  const priced = { context_tokens: 8000, price: { input: 2, output: 10 } }
  route('GET /models').mockResolvedValue([
    model('small', { is_default: true, ...priced }),
    model('large', { context_tokens: 2000, price: { input: 90, output: 90 } }),
  ])
  const { user } = await renderPart(picker({ model: 'large', parameters: null }, tokensUsed(1600)))
  const button = await screen.findByRole('button', { name: 'Model: large' })
  expect(button.textContent).not.toContain('%')
  await user.click(button)
  expect(await screen.findByText('The latest answer cost about $0.0072 (small).')).toBeTruthy()
  expect(screen.queryByRole('progressbar')).toBeNull()
})

it('warns on the button once the context is nearly full', async () => {
  await renderPart(picker(defaultChoice, tokensUsed(6000)))
  expect((await screen.findByRole('button', { name: 'Model: small' })).textContent).toContain('80%')
})

it('is hidden when no model is connected', async () => {
  route('GET /models').mockResolvedValue([])
  await renderPart(picker())
  await vi.waitFor(() => expect(route('GET /models')).toHaveBeenCalled())
  expect(screen.queryByRole('button')).toBeNull()
})
