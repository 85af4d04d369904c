import type { ChatParameters } from '@mira/shared'

/** Bounds of what is typed, the same as the server's. */
export const parameterBounds = {
  temperature: { min: 0, max: 2, step: 0.1 },
  top_p: { min: 0, max: 1, step: 0.05 },
  max_tokens: { min: 1, max: 1_000_000, step: 1 },
} as const

export type NumberParameter = keyof typeof parameterBounds
export const numberParameters = Object.keys(parameterBounds) as NumberParameter[]

/** Parameters as they stand in their fields; empty for what is left to the model's server. */
export type TypedParameters = Record<NumberParameter | 'reasoning_effort', string>

export function typedOf(parameters: ChatParameters | null): TypedParameters {
  const { temperature, top_p, max_tokens, reasoning_effort = '' } = parameters ?? {}
  return {
    temperature: String(temperature ?? ''),
    top_p: String(top_p ?? ''),
    max_tokens: String(max_tokens ?? ''),
    reasoning_effort,
  }
}

/** True when a field is empty or has a valid number. */
export function isAllowed(name: NumberParameter, typed: string): boolean {
  const { min, max } = parameterBounds[name]
  const value = Number(typed)
  return typed.trim() === '' || (value >= min && value <= max && (name !== 'max_tokens' || Number.isInteger(value)))
}

/** Typed parameters; null when all are empty, undefined while one is invalid. */
export function parametersOf(typed: TypedParameters): ChatParameters | null | undefined {
  if (!numberParameters.every((name) => isAllowed(name, typed[name]))) return undefined
  if (Object.values(typed).every((value) => value.trim() === '')) return null
  const given = numberParameters.filter((name) => typed[name].trim() !== '')
  const numbers: ChatParameters = Object.fromEntries(given.map((name) => [name, Number(typed[name])]))
  const effort = typed.reasoning_effort as ChatParameters['reasoning_effort'] | ''
  return effort ? { ...numbers, reasoning_effort: effort } : numbers
}
