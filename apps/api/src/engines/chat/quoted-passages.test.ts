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
  return { instructions, asked: turns.at(-1)?.content }
}

describe('what a model is told of the memory', () => {
  test('is nothing when the message needs nothing of it, or its person has none', () => {
    for (const memory of ['unasked', 'closed'] as const) {
      expect(promptOf(memory)).toEqual({ instructions: 'Be kind.', asked: 'When?' })
      expect(memoryText({ memory, passages: [] })).toBe('')
    }
  })

  test('is that there is nothing, or that it could not be searched, and not to guess', () => {
    expect(promptOf('searched').instructions).toMatch(/Nothing was found .* do not guess\.$/)
    expect(promptOf('silent').instructions).toMatch(/could not be searched in time.* do not guess\.$/)
    expect([promptOf('searched').asked, promptOf('silent').asked]).toEqual(['When?', 'When?'])
  })

  test('is which passages it can be sure of, and of which days they are', () => {
    const { instructions } = promptOf('searched', [passage(1, 'found', '2026-05-31'), passage(2, 'perhaps')])
    expect(instructions).toContain('The search is sure that [1] is about the question; the others only came near.')
    expect(instructions).toContain('taken or added on: [1] 2026-05-31.')
    expect(promptOf('searched', [passage(1, 'perhaps')]).instructions).toContain('not sure that any of them')
    expect(promptOf('searched', [passage(1, 'found')]).instructions).not.toContain('The search is')
  })

  test('is each passage as one line of JSON; one that it looked for tells its day there', () => {
    const line = { n: 1, kind: 'document', file: 'lease.pdf', text: 'It ends in October.' }
    const quoted = (lines: object) => `<memory>\n${JSON.stringify(lines)}\n</memory>`
    expect(promptOf('searched', [passage(1, 'found', '2026-05-31')]).asked).toBe(`${quoted(line)}\n\nWhen?`)
    expect(quotePassages([passage(1, 'found', '2026-05-31')])).toBe(quoted({ ...line, day: '2026-05-31' }))
  })

  test('is to cite it, unless a program asks for a format', () => {
    const passages = [passage(1, 'found')]
    const rule = (program?: Question['program']) => memoryText({ memory: 'searched', passages, program })
    expect(rule()).toContain('in square brackets')
    const tools = { tools: [], isDemanded: false, maySeveral: true, turns: [] }
    expect(rule(tools)).toContain('in square brackets')
    expect(rule({ ...tools, format: { type: 'json_object' } })).not.toContain('in square brackets')
  })
})
