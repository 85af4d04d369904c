// @vitest-environment happy-dom
import type { AgentCall } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { AgentCalls } from './agent-calls.tsx'

const proposal = (overrides: Partial<AgentCall> = {}): AgentCall => ({
  ...{ call_id: 'c1', name: 'remember', state: 'waiting', arguments: { text: 'I am a vegetarian.' } },
  ...overrides,
})

it('is accepted or declined on a click', async () => {
  const onAnswer = vi.fn(async () => {})
  const { user } = await renderPart(<AgentCalls calls={[proposal()]} isAnswering={false} onAnswer={onAnswer} />)
  expect(screen.getByText('I am a vegetarian.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Remember' }))
  expect(onAnswer).toHaveBeenLastCalledWith('c1', true)
  await user.click(screen.getByRole('button', { name: 'No' }))
  expect(onAnswer).toHaveBeenLastCalledWith('c1', false)
})

it('can’t be accepted until the answer is complete', async () => {
  await renderPart(<AgentCalls calls={[proposal()]} isAnswering onAnswer={async () => {}} />)
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Remember' }).disabled).toBe(true)
})

it('links to the remembered facts once it is accepted', async () => {
  await renderPart(
    <AgentCalls calls={[proposal({ state: 'finished' })]} isAnswering={false} onAnswer={async () => {}} />,
  )
  expect(screen.getByRole('link').getAttribute('href')).toBe('/dashboard?tab=settings#remembered')
  expect(screen.queryByRole('button')).toBeNull()
})
