import { describe, expect, test } from 'vitest'
import type { Passage, Question } from '../chat-engine.ts'
import { memoryText, quotePassages, withPassages } from './quoted-passages.ts'

const passage = (n: number, certainty: Passage['certainty'], day?: string): Passage => ({
  source: { n, media_id: null, media_type: 'document', title: 'lease.pdf', snippet: '', thumbnail: null, url: '/x' },
  text: 'It ends in October.',
  certainty,
  day,
})
const promptOf = (memory: Question['memory'], passages: Passage[] = []) => {
  const question = { instructions: 'Be kind.', turns: [{ role: 'user', content: 'When?' }], memory, passages }
  const { instructions, turns } = withPassages(question as unknown as Question)
  return { instructions, message: turns.at(-1)?.content }
}

describe('the part of the prompt about the memory', () => {
  test('is empty when the message does not need the memory or the user has none', () => {
    for (const memory of ['unasked', 'closed'] as const) {
      expect(promptOf(memory)).toEqual({ instructions: 'Be kind.', message: 'When?' })
      expect(memoryText({ memory, passages: [] })).toBe('')
    }
  })

  test('says that nothing was found or that the search timed out, and not to guess', () => {
    expect(promptOf('searched').instructions).toMatch(/Nothing was found .* do not guess\.$/)
    expect(promptOf('silent').instructions).toMatch(/could not be searched in time.* do not guess\.$/)
    expect([promptOf('searched').message, promptOf('silent').message]).toEqual(['When?', 'When?'])
  })

  test('names the certain passages and their dates', () => {
    const { instructions } = promptOf('searched', [passage(1, 'found', '2026-05-31'), passage(2, 'perhaps')])
    expect(instructions).toContain('The search is sure that [1] is about the question; the others only came near.')
    expect(instructions).toContain('taken or added on: [1] 2026-05-31.')
    expect(promptOf('searched', [passage(1, 'perhaps')]).instructions).toContain('not sure that any of them')
    expect(promptOf('searched', [passage(1, 'found')]).instructions).not.toContain('The search is')
  })

  test('quotes each passage as a line of JSON, with its date when the model searched itself', () => {
    const line = { n: 1, kind: 'document', file: 'lease.pdf', text: 'It ends in October.' }
    const quoted = (lines: object) => `<memory>\n${JSON.stringify(lines)}\n</memory>`
    expect(promptOf('searched', [passage(1, 'found', '2026-05-31')]).message).toBe(`${quoted(line)}\n\nWhen?`)
    expect(quotePassages([passage(1, 'found', '2026-05-31')])).toBe(quoted({ ...line, day: '2026-05-31' }))
  })

  test('asks for citations unless a client program requests a format', () => {
    const passages = [passage(1, 'found')]
    const rule = (program?: Question['program']) => memoryText({ memory: 'searched', passages, program })
    expect(rule()).toContain('in square brackets')
    const tools = { tools: [], isRequired: false, allowsParallelCalls: true, turns: [] }
    expect(rule(tools)).toContain('in square brackets')
    expect(rule({ ...tools, format: { type: 'json_object' } })).not.toContain('in square brackets')
  })
})
