import { expect, test } from 'vitest'
import { asWireTool } from './tool-schema.ts'

const plain = (parameters: Record<string, unknown>) =>
  asWireTool({ name: 'sort', description: 'Sorts.', parameters }) as { function: { parameters: unknown } }

const places: [place: string, around: (schema: unknown) => Record<string, unknown>][] = [
  ...['additionalProperties', 'propertyNames', 'unevaluatedProperties', 'additionalItems', 'unevaluatedItems'],
  ...['contains', 'not', 'if', 'then', 'else', 'items'],
].map((keyword) => [keyword, (schema) => ({ [keyword]: schema })])
for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems'])
  places.push([keyword, (schema) => ({ [keyword]: [schema] })])
for (const keyword of ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'])
  places.push([keyword, (schema) => ({ [keyword]: { name: schema } })])

test.each(places)('a list without a schema for its items has one below %s', (_place, around) => {
  const { parameters } = plain({ type: 'object', properties: { groups: around({ type: 'array' }) } }).function
  expect(parameters).toEqual({ type: 'object', properties: { groups: around({ type: 'array', items: {} }) } })
})

test('a tool that allows no further arguments, or any, goes on doing so', () => {
  for (const additionalProperties of [true, false]) {
    expect(plain({ type: 'object', additionalProperties }).function.parameters).toMatchObject({ additionalProperties })
  }
})
