import { describe, expect, it } from 'vitest'
import { mayContainMaths, normaliseMaths, withoutOpenFormula } from './maths.ts'

describe('normaliseMaths', () => {
  it.each([
    ['single dollars', 'so $x^2$ it is', 'so $$x^2$$ it is'],
    ['round brackets', 'so \\( x^2 \\) it is', 'so $$x^2$$ it is'],
    ['square brackets', '\\[ x^2 \\]', '\n$$\nx^2\n$$\n'],
    ['square brackets across lines', '\\[\na\n+ b\n\\]', '\n$$\na\n+ b\n$$\n'],
    [
      'single dollars with spaces',
      'so $E = m c^2$, $f(x)$, $p < 0.05$, $[0, 1)$',
      'so $$E = m c^2$$, $$f(x)$$, $$p < 0.05$$, $$[0, 1)$$',
    ],
    ['words within a command', 'so $x \\text{ if it rains}$s', 'so $$x \\text{ if it rains}$$s'],
    ['single dollars before a suffix', 'the $n$th of $\\{a, b\\}$', 'the $$n$$th of $$\\{a, b\\}$$'],
    ['price levels in dollar signs', 'a $$ place and a $$ bar', 'a \\$\\$ place and a \\$\\$ bar'],
    ['double dollars on one line', 'Then\n$$x^2$$\nand', 'Then\n$$\nx^2\n$$\nand'],
  ])('normalises %s', (_case, markdown, expected) => {
    expect(normaliseMaths(markdown)).toBe(expected)
  })

  it.each([
    'It costs $5 and $10 more.',
    'From $6-$7 on',
    'US$5 or US$6',
    'a `$x$` in code',
    '```sh\necho $HOME and $PATH$\n```\n',
    'an open $x',
    '$$\nx^2\n$$',
    'an escaped \\$x\\$ sign',
    'Price ($) and (A$)',
    '| Item | Price ($) | Cost (A$) |',
    'Put it in $HOME/$USER or $HOME:$PATH',
    'echo $A$B and $(a)$(b)',
    '"$x" or "$y"',
    'from $5–$10, A$5 to A$9, $5-10 or $7',
    'from $5 per month to $9 (US$)',
    '$(date)/$(whoami)',
    '$foo->bar($baz)',
    '($5) and (10$)',
    'see \\[1\\] and \\[x\\]',
    'escaped \\[here\n\nand there\\]',
  ])('leaves %j as it is', (markdown) => {
    expect(normaliseMaths(markdown)).toBe(markdown)
  })
})

describe('withoutOpenFormula', () => {
  it.each([
    ['so \\(x^2', 'so '],
    ['so \\(x^2\\', 'so '],
    ['so \\', 'so '],
    ['so $x^2 + 1', 'so '],
    ['so $', 'so '],
    ['Then\n\\[\nx^2\n+ 1', 'Then\n'],
    ['Then\n$$x^2', 'Then\n'],
    ['Then\n\n$$\n\\int_0^1 x', 'Then\n\n'],
    ['Then\n\n$$\nx\n$', 'Then\n\n'],
    ['$$\n```\n$$\n\n$$\nx', '$$\n```\n$$\n\n'],
  ])('shortens %j to %j', (source, expected) => {
    expect(withoutOpenFormula(source)).toBe(expected)
  })

  it.each([
    'so \\(x^2\\) it is',
    'so $x^2$ it is',
    'It costs $5 and',
    'Then\n\n$$\nx^2\n$$\n',
    'Then\n\n$$\nx^2\n$$\nand so on',
    'call `$HOME',
    '```sh\necho $HOME',
    '```\n$$\n```\nso',
    `a \\[ that ${'goes on '.repeat(80)}`,
  ])('leaves %j as it is', (markdown) => {
    expect(withoutOpenFormula(markdown)).toBe(markdown)
  })
})

describe('mayContainMaths', () => {
  it('distinguishes texts with formulas from texts without', () => {
    expect(['$x$', '$$\nx\n$$', '\\(x\\)', '\\[x\\]'].map(mayContainMaths)).toEqual([true, true, true, true])
    expect(['plain', 'a [link](x) (y)', '5 $ each'].map(mayContainMaths)).toEqual([false, false, false])
  })
})
