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

const model = (id: string, more: Partial<ChatModel> = {}): ChatModel => ({
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
  ...more,
})
const usual: ModelChoice = { model: null, parameters: null }
const onChoose = vi.fn()
const picker = (choice = usual, usedTokens: UsedTokens | null = null) => (
  <ModelPicker choice={choice} usedTokens={usedTokens} isBusy={false} onChoose={onChoose} />
)

beforeEach(() => {
  vi.resetAllMocks()
  route('GET /models').mockResolvedValue([model('small', { is_default: true, context_tokens: 8000 }), model('large')])
})

it('tells which model answers, and lets another one be picked', async () => {
  const { user } = await renderPart(picker())
  await user.click(await screen.findByRole('button', { name: 'Model: small' }))
  await user.click(await screen.findByRole('button', { name: /^large/ }))
  expect(onChoose).toHaveBeenCalledExactlyOnceWith({ model: 'large', parameters: null })
  expect(screen.queryByRole('dialog')).toBeNull()
})

it('takes parameters over when it closes, but none that may not be', async () => {
  const { user } = await renderPart(picker({ model: 'large', parameters: { temperature: 0.3 } }))
  await user.click(await screen.findByRole('button', { name: 'Model: large' }))
  const temperature = await screen.findByRole('textbox', { name: 'Temperature' })
  await user.clear(temperature)
  await user.type(temperature, '3')
  await user.keyboard('{Escape}')
  expect(onChoose).not.toHaveBeenCalled()

  await user.click(screen.getByRole('button', { name: 'Model: large' }))
  const again = await screen.findByRole('textbox', { name: 'Temperature' })
  await user.clear(again)
  await user.selectOptions(screen.getByRole('combobox', { name: 'Thinking' }), 'Long')
  await user.keyboard('{Escape}')
  expect(onChoose).toHaveBeenCalledExactlyOnceWith({ model: 'large', parameters: { reasoning_effort: 'high' } })
})

it('takes parameters with a decimal comma, and none that is no number', async () => {
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

it('says that a model which was picked is not there any more', async () => {
  const { user } = await renderPart(picker({ model: 'gone', parameters: null }))
  await user.click(await screen.findByRole('button', { name: 'Model: gone (not connected)' }))
  expect(await screen.findByText(/“gone” of this conversation is no longer connected/)).toBeTruthy()
})

const used = (input: number): UsedTokens => ({ input, output: 400, model: 'small' })

it('tells how full the model is, and what the answer cost where prices are known', async () => {
  const priced = { context_tokens: 8000, price: { input: 2, output: 10 } }
  route('GET /models').mockResolvedValue([model('small', { is_default: true, ...priced })])
  const { user } = await renderPart(picker(usual, used(1600)))
  await user.click(await screen.findByRole('button', { name: 'Model: small' }))
  expect((await screen.findByRole('progressbar')).getAttribute('aria-valuenow')).toBe('25')
  expect(screen.getByText('The latest answer cost about $0.0072 (small).')).toBeTruthy()
})

it('says of an answer by another model than the one that is picked what it cost, but not how full the picked one is', async () => {
  const priced = { context_tokens: 8000, price: { input: 2, output: 10 } }
  route('GET /models').mockResolvedValue([
    model('small', { is_default: true, ...priced }),
    model('large', { context_tokens: 2000, price: { input: 90, output: 90 } }),
  ])
  const { user } = await renderPart(picker({ model: 'large', parameters: null }, used(1600)))
  const button = await screen.findByRole('button', { name: 'Model: large' })
  expect(button.textContent).not.toContain('%')
  await user.click(button)
  expect(await screen.findByText('The latest answer cost about $0.0072 (small).')).toBeTruthy()
  expect(screen.queryByRole('progressbar')).toBeNull()
})

it('warns at the button once the model is nearly full', async () => {
  await renderPart(picker(usual, used(6000)))
  expect((await screen.findByRole('button', { name: 'Model: small' })).textContent).toContain('80%')
})

it('is not there where no model is connected', async () => {
  route('GET /models').mockResolvedValue([])
  await renderPart(picker())
  await vi.waitFor(() => expect(route('GET /models')).toHaveBeenCalled())
  expect(screen.queryByRole('button')).toBeNull()
})
