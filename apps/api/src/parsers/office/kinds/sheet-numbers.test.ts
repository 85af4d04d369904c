import { expect, test } from 'vitest'
import { shownDate, shownNumber, shownText } from './sheet-numbers.ts'

test.each([
  ['General', '4006381333931', '4006381333931'],
  ['0', '356938035643809', '356938035643809'],
  ['0', '4111111111111111', '4111111111111111'],
  ['@', '12345678901234567', '12345678901234567'],
  ['General', '4.915123456789E12', '4915123456789'],
  ['General', '0.30000000000000004', '0.3'],
  ['General', '9.9999999999994316E-2', '0.1'],
  ['General', '123456789012.34', '123456789012.34'],
  ['00000', '421', '00421'],
  ['[h]:mm', '1.53125', '36:45'],
  ['h:mm', '0.375', '9:00'],
  ['mmmm', '45170', 'September'],
  ['mmm yyyy', '45170', 'Sep 2023'],
  ['[$-407]d. mmmm yyyy', '45170', '1. September 2023'],
  ['[$-F800]dddd, mmmm dd, yyyy', '45170', '2023-09-01'],
  ['dd.mm.yyyy', '45170', '01.09.2023'],
  ['#,##0.00 [$€-407]', '1234.5', '1.234,50 €'],
  ['_-* #,##0.00 "kr"_-;-* #,##0.00 "kr"_-', '2345.6', '2,345.60 kr'],
  ['# ?/?', '0.75', '3/4'],
  ['# ?/?', '7.99', '8'],
  ['# ?/?', '12', '12'],
  ['# ??/??', '2.99', '2 98/99'],
  ['# ??/??', '-0.99', '-98/99'],
  ['#\\ ??/100" in"', '-1.97', '-1 97/100 in'],
  ['#,##0 ?/?', '1234.5', '1,234 1/2'],
  ['#,##0 ?/?', '1233.99', '1,234'],
  ['[$$-409]# ?/?', '1234.5', '$1234 1/2'],
  ['# ##0 ?/?', '1234.5', '1 234 1/2'],
  ['# ?/?', '0', '0'],
  ['# ?/4;[Red](# ?/4)', '-2.5', '(2 2/4)'],
  ['?/?', '1.5', '3/2'],
  ['[h]:mm', '-1.2', '-28:48'],
  ['[h]:mm;@', '-0.35', '-8:24'],
  ['[hh]:mm;[Red]-[hh]:mm', '-0.375', '-09:00'],
  ['0.0%', '0.195', '19.5%'],
  ['(0.00);[Red]-0.00', '-5.5', '-5.50'],
  ['; ;', '99', ''],
  ['0 "never closed', '14', '14'],
])('a cell with the format %s and the stored value %s shows %s', (code, rawValue, expected) => {
  expect(shownNumber(rawValue, code, false)).toBe(expected)
})

test('counts dates from 1904 when the workbook says so, but not elapsed times', () => {
  expect(shownNumber('43708', 'yyyy-mm-dd', true)).toBe('2023-09-01')
  expect(shownNumber('1.53125', '[h]:mm', true)).toBe('36:45')
})

test.each([
  ['2014-02-14T08:27:48.765Z', 'dd.mm.yyyy', '14.02.2014'],
  ['2014-02-14T08:27:48', 'yyyy-mm-dd h:mm', '2014-02-14 8:27'],
  ['2014-02-14', 'd mmm yyyy', '14 Feb 2014'],
  ['2014-02-14', 'General', '2014-02-14'],
  ['sometime', 'yyyy', 'sometime'],
])('a date written as %s in the format %s shows %s', (written, code, expected) => {
  expect(shownDate(written, code)).toBe(expected)
})

test('adds the words of a format to a text', () => {
  expect([shownText('47', '"No. "@'), shownText('47', '@'), shownText('47', '0.00')]).toEqual(['No. 47', '47', '47'])
})
