import { expect, test } from 'vitest'
import { messagesOfTree, type TreeNode } from './conversation-tree.ts'

const node = (id: number, parent: number | null, more: Partial<TreeNode> = {}): TreeNode => ({
  id: `${id}`,
  parentId: parent === null ? null : `${parent}`,
  message: null,
  ...more,
})
const message = (role: 'user' | 'assistant', content: string): TreeNode['message'] => ({
  role,
  content,
  createdAt: null,
  model: null,
  reasoning: null,
  pictures: [],
})

test('long chains of thoughts keep their end, and don’t grow with the answers that share them', () => {
  const length = 3_000
  const thoughts = Array.from({ length }, (_, index) =>
    node(index, index === 0 ? null : index - 1, { reasoning: `${index} ${'fig '.repeat(250)}`.trim() }),
  )
  const answers = thoughts.map((_, index) => node(length + index, index, { message: message('assistant', 'Figs.') }))
  const { messages } = messagesOfTree([...thoughts, ...answers], null)
  const texts = messages.flatMap(({ reasoning }) => reasoning ?? [])
  expect(texts.length).toBeGreaterThan(4)
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(201_000)
  expect(texts.join('').length).toBeLessThan(5 * length * 1_005)
  const [last] = messagesOfTree([...thoughts, answers.at(-1) as TreeNode], null).messages
  expect(last?.reasoning).toMatch(/^28\d\d fig [\s\S]*\n\n2999 fig [fig ]*$/)
})

test('a branch ends at the displayed message if the export names it, and else at the last reply to the newest one', () => {
  const nodes = [
    node(1, null, { message: message('user', 'Figs?') }),
    node(2, 1, { message: message('assistant', 'Yes.') }),
    node(3, 2, { message: message('user', 'Dates?') }),
  ]
  expect(messagesOfTree(nodes, '2').currentId).toBe('2')
  expect(messagesOfTree(nodes, 'missing').currentId).toBe('3')
  expect(messagesOfTree(nodes, null).currentId).toBe('3')
})

test('reads a message with 200,000 alternatives, and one with 200,000 pictures', () => {
  const alternatives = Array.from({ length: 200_000 }, (_, index) =>
    node(index + 1, 0, { message: message('assistant', 'Figs.') }),
  )
  expect(
    messagesOfTree([node(0, null, { message: message('user', 'Figs?') }), ...alternatives], null).messages,
  ).toHaveLength(200_001)
  const pictures = Array.from({ length: 200_000 }, () => ({ name: 'fig.png' }))
  const withPictures = { ...message('user', ''), pictures } as TreeNode['message']
  const nodes = [node(0, null, { message: message('user', 'Figs?') }), node(1, 0, { message: withPictures })]
  expect(messagesOfTree(nodes, null).messages[0]?.pictures).toHaveLength(200_000)
})

test('both of two alternatives keep the thoughts before them', () => {
  const nodes = [
    node(1, null, { message: message('user', 'Figs?') }),
    node(2, 1, { reasoning: 'Think.' }),
    node(3, 2, { reasoning: 'Think again.' }),
    node(4, 3, { message: message('assistant', 'Yes.') }),
    node(5, 3, { message: message('assistant', 'No.') }),
  ]
  expect(messagesOfTree(nodes, null).messages.map(({ content, reasoning }) => [content, reasoning])).toEqual([
    ['Figs?', null],
    ['Yes.', 'Think.\n\nThink again.'],
    ['No.', 'Think.\n\nThink again.'],
  ])
})

test('alternatives stay apart when each is below a node without a message', () => {
  const nodes = [
    node(1, null, { message: message('assistant', 'Hello.') }),
    node(2, 1),
    node(3, 2, { message: message('assistant', 'Yes.') }),
    node(4, 1),
    node(5, 4),
    node(6, 5, { message: message('assistant', 'No.') }),
    node(7, 6, { message: message('assistant', 'Never.') }),
  ]
  const { messages, currentId } = messagesOfTree(nodes, '3')
  expect(messages.map(({ content, parentId }) => [content, parentId])).toEqual([
    ['Hello.', null],
    ['Yes.', '1'],
    ['No.\n\nNever.', '1'],
  ])
  expect(currentId).toBe('3')
})

test('reads a message that the export repeats once', () => {
  const nodes = [
    node(1, 0, { message: message('user', 'Figs?') }),
    node(1, 0, { message: message('user', 'Figs?') }),
    node(2, 1, { message: message('assistant', 'Yes.') }),
  ]
  const { messages, currentId } = messagesOfTree(nodes, null)
  expect(messages.map(({ id, parentId }) => [id, parentId])).toEqual([
    ['1', null],
    ['2', '1'],
  ])
  expect(currentId).toBe('2')
})

test('joins 20,000 answers in a row without hanging', { timeout: 5_000 }, () => {
  const text = 'fig '.repeat(1_000)
  const answers = Array.from({ length: 20_000 }, (_, index) =>
    node(index, index === 0 ? null : index - 1, { message: message('assistant', text) }),
  )
  expect(messagesOfTree(answers, null).messages.map(({ content }) => content.length)).toEqual([80_039_998])
})
