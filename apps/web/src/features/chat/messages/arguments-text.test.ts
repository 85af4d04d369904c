import { describe, expect, it } from 'vitest'
import { argumentsText } from './agent-calls.tsx'

describe('argumentsText', () => {
  it('lists plain arguments line by line', () => {
    expect(argumentsText({ input: '15% of 80', digits: 2 })).toBe('input: 15% of 80\ndigits: 2')
  })

  it('shows nested arguments as they are', () => {
    expect(argumentsText({ list: [1, 2] })).toBe('{\n  "list": [\n    1,\n    2\n  ]\n}')
  })

  it('keeps the text of invalid arguments and is empty without any', () => {
    expect(argumentsText('{"input": 15% of')).toBe('{"input": 15% of')
    expect([undefined, null, {}].map(argumentsText)).toEqual(['', '', ''])
  })
})
