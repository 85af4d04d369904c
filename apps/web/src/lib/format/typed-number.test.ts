import { expect, it } from 'vitest'
import { typedNumber } from './typed-number.ts'

it('reads numbers with a decimal point or comma, including incomplete ones', () => {
  const numbers = ['0', '0,', '0,7', '0.7', '.7', ' 12 ']
  expect(numbers.map((text) => typedNumber(text, false))).toEqual([0, 0, 0.7, 0.7, 0.7, 12])
})

it('rejects everything else, and fractions when a whole number is required', () => {
  const others = ['', ',', '-1', '1.000,5', '1e3', '0x10', 'seven']
  expect(others.map((text) => typedNumber(text, false))).toEqual(others.map(() => Number.NaN))
  expect(['5,', '5,0', '10.000'].map((text) => typedNumber(text))).toEqual([Number.NaN, Number.NaN, Number.NaN])
})
