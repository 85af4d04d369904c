import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { languages } from '@mira/shared'
import { z } from 'zod'
import { hash, type IntentExample } from './intent-classifier.ts'

/** Examples of a language: words for the placeholders in braces, and sentences by label. */
const languageSchema = z.object({
  slots: z.record(z.string(), z.array(z.string()).min(1)),
  examples: z.record(z.string(), z.array(z.string()).min(1)),
})

/** Training and test examples. */
export interface IntentExamples {
  training: IntentExample[]
  heldOut: IntentExample[]
  /** Hash of the example files, to notice that they've changed. */
  version: string
}

/** One in this many is a test example. */
const HELD_OUT_DIVISOR = 5
/** Number of variants made from a sentence with placeholders. */
const TRAINING_FILLS = 4
const HELD_OUT_FILLS = 2

/** True for a test example; depends only on its words, so it's the same in every training. */
export function isHeldOut(text: string): boolean {
  return hash(`held out: ${text}`) % HELD_OUT_DIVISOR === 0
}

/** Reads the bundled examples. All variants of a sentence with placeholders are on the same side of the split. */
export function readIntentExamples(): IntentExamples {
  const training: IntentExample[] = []
  const heldOut: IntentExample[] = []
  const contents = languages.map((language) => readFileSync(join(import.meta.dirname, `${language}.json`), 'utf8'))
  for (const content of contents) {
    const { slots, examples } = languageSchema.parse(JSON.parse(content))
    for (const [label, sentences] of Object.entries(examples)) {
      for (const sentence of sentences) {
        const isTest = isHeldOut(sentence)
        const fills = sentence.includes('{') ? (isTest ? HELD_OUT_FILLS : TRAINING_FILLS) : 1
        for (let fill = 0; fill < fills; fill++) {
          const text = fillPlaceholders(sentence, slots, fill)
          ;(isTest ? heldOut : training).push({ text, label })
        }
      }
    }
  }
  return { training, heldOut, version: hash(contents.join('\n')).toString(16) }
}

function fillPlaceholders(sentence: string, slots: Record<string, string[]>, fill: number): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => {
    const words = slots[name] ?? []
    return words[(hash(`${sentence} ${name}`) + fill) % words.length] ?? ''
  })
}
