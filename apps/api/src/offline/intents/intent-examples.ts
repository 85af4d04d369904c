import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { languages } from '@mira/shared'
import { z } from 'zod'
import { hash, type IntentExample } from './intent-classifier.ts'

/** One language: what stands in braces, and sentences for each agent and for none. */
const languageSchema = z.object({
  slots: z.record(z.string(), z.array(z.string()).min(1)),
  examples: z.record(z.string(), z.array(z.string()).min(1)),
})

/** Examples to learn from, and others that a model never sees: what it is measured by. */
export interface IntentExamples {
  training: IntentExample[]
  heldOut: IntentExample[]
  /** Changes with the examples. */
  version: string
}

/** One example in this many is a test example. */
const HELD_OUT_SHARE = 5
const TRAINING_FILLS = 4
const HELD_OUT_FILLS = 2

/** True for a test example; depends only on its words, so it's the same in every training. */
export function isHeldOut(text: string): boolean {
  return hash(`held out: ${text}`) % HELD_OUT_SHARE === 0
}

/** Reads the examples that come with the product. A sentence with gaps is kept back whole, however it is filled. */
export function readIntentExamples(): IntentExamples {
  const training: IntentExample[] = []
  const heldOut: IntentExample[] = []
  const contents = languages.map((language) => readFileSync(join(import.meta.dirname, `${language}.json`), 'utf8'))
  for (const content of contents) {
    const { slots, examples } = languageSchema.parse(JSON.parse(content))
    for (const [label, sentences] of Object.entries(examples)) {
      for (const sentence of sentences) {
        const isKeptBack = isHeldOut(sentence)
        const fills = sentence.includes('{') ? (isKeptBack ? HELD_OUT_FILLS : TRAINING_FILLS) : 1
        for (let fill = 0; fill < fills; fill++) {
          const text = fillGaps(sentence, slots, fill)
          ;(isKeptBack ? heldOut : training).push({ text, label })
        }
      }
    }
  }
  return { training, heldOut, version: hash(contents.join('\n')).toString(16) }
}

function fillGaps(sentence: string, slots: Record<string, string[]>, fill: number): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => {
    const words = slots[name] ?? []
    return words[(hash(`${sentence} ${name}`) + fill) % words.length] ?? ''
  })
}
