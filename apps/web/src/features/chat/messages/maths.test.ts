import { describe, expect, it } from 'vitest'
import { splitMarkdown } from '../../../lib/format/markdown-blocks.ts'
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
    [
      'price levels in list items',
      '- **Carota** – $$ – Italian\n- **Lilia** – $$ – Italian',
      '- **Carota** – \\$\\$ – Italian\n- **Lilia** – \\$\\$ – Italian',
    ],
    ['price levels in cells', '| Noma | $$ | Nordic | $$ |', '| Noma | \\$\\$ | Nordic | \\$\\$ |'],
    ['one pair of dollars in code', 'Run:\n\n    kill $$\n', 'Run:\n\n    kill $$\n'],
    ['variables', 'ssh $user@$host with $a$', 'ssh $user@$host with $$a$$'],
    ['variables in quotation marks', "'$a' and '$b'", "'$a' and '$b'"],
    ['variables joined by an underscore', '$name_$date', '$name_$date'],
    ['a formula after an apostrophe', "l'$n$-ième et d'$x$", "l'$$n$$-ième et d'$$x$$"],
    ['a suffix after a sign', 'the $n!$th', 'the $$n!$$th'],
    ['formulas after an address', '见[文](https://a.b/c)，$x$是', '见[文](https://a.b/c)，$$x$$是'],
    ['double dollars across lines of a sentence', 'The sum $$\\sum_i\nx_i$$ is', 'The sum \n$$\n\\sum_i\nx_i\n$$\nis'],
    ['double dollars at the end of a line', 'so $$\nx - y\n- z\n$$', 'so \n$$\nx - y\n- z\n$$'],
    ['a legend of price levels', '- $\n- $$\n- $$$\n\nThen $x$', '- $\n- \\$\\$\n- \\$\\$\\$\n\nThen $$x$$'],
    ['dollars in an address', '[a](https://x.y/?q=$a$b) and $c$', '[a](https://x.y/?q=$a$b) and $$c$$'],
    ['double dollars on one line', 'Then\n$$x^2$$\nand', 'Then\n$$\nx^2\n$$\nand'],
    [
      'signs at the end of an exponent or index',
      'with $\\pi^*$ and $V^*$, $\\mathbb{R}^+$, $x \\to 0^-$, $Na^+$, $x_{+}$',
      'with $$\\pi^*$$ and $$V^*$$, $$\\mathbb{R}^+$$, $$x \\to 0^-$$, $$Na^+$$, $$x_{+}$$',
    ],
    ['bars', 'so $|\\psi\\rangle$, $f(x) = |x|$, $||x||$', 'so $$|\\psi\\rangle$$, $$f(x) = |x|$$, $$||x||$$'],
    ['bars in double dollars', 'so $$|x| < 1$$ for', 'so $$|x| < 1$$ for'],
    ['an amount in a formula', '$A = \\$1000(1.05)^2$', '$$A = \\$1000(1.05)^2$$'],
    ['an amount at the end of a formula', '$x = \\$5$, $y = 5\\$$', '$$x = \\$5$$, $$ y = 5\\$ $$'],
    ['escaped dollars and formulas', 'Money adds: $\\$X + \\$Y = \\$Z$.', 'Money adds: $$\\$X + \\$Y = \\$Z$$.'],
    ['numbers', '$65 \\times 44$, $2n = p + q$', '$$65 \\times 44$$, $$2n = p + q$$'],
    ['amounts beside formulas', 'I have $10 and $x + y$ for $2,000.', 'I have $10 and $$x + y$$ for $2,000.'],
    ['price levels at the beginning of a line', '$$ is cheap, $$$ isn’t', '\\$\\$ is cheap, \\$\\$\\$ isn’t'],
    [
      'double dollars beside their content',
      "$$\\begin{aligned}\nf'(x) &= 1\n\\end{aligned}$$\nThen",
      "$$\n\\begin{aligned}\nf'(x) &= 1\n\\end{aligned}\n$$\nThen",
    ],
    ['double dollars before their content', '$$\\begin{a}\nx\n\\end{a}\n$$', '$$\n\\begin{a}\nx\n\\end{a}\n$$'],
    ['double dollars after their content', '$$\nx = 1$$\n\n- a\n\n$$\ny$$\nb', '$$\nx = 1\n$$\n\n- a\n\n$$\ny\n$$\nb'],
    ['double dollars after text', 'so:$$\nx = 1\n$$\nand', 'so:\n$$\nx = 1\n$$\nand'],
    ['brackets beside double dollars', '$$[\n[1, 2]\n[3, 4]\n]$$.', '$$\n[\n[1, 2]\n[3, 4]\n].\n$$'],
    ['blank lines between double dollars', '$$\n\n1\n\n= 2\n\n$$', '$$\n1\n\n= 2\n$$'],
    [
      'the spacing of lines',
      '\\[\n\\begin{aligned}\na &= b \\\\[4pt]\n&= c\n\\end{aligned}\n\\]',
      '\n$$\n\\begin{aligned}\na &= b \\\\[4pt]\n&= c\n\\end{aligned}\n$$\n',
    ],
    ['an escaped backslash before a bracket', 'Macros\\\\(also x), \\(y\\)', 'Macros\\\\(also x), $$y$$'],
    [
      'a formula in nested lists',
      '1. **Derive**\n   - Rule:\n     \\[\n     x\n     = 1\n     \\]\n     for \\(x > 0\\).',
      '1. **Derive**\n   - Rule:\n     $$\n     x\n     = 1\n     $$\n     for $$x > 0$$.',
    ],
    ['a formula indented in a list', '- a:\n      $$x^2$$\n      so', '- a:\n  $$\n  x^2\n  $$\n  so'],
    [
      'a formula behind a list mark',
      '* $$\n  x\n  $$\n* \\[x^2 + 1\\]\n* so',
      '* $$\n  x\n  $$\n* $$\n  x^2 + 1\n  $$\n* so',
    ],
    ['a formula within the text of a list', '- a: \\[x + 1\\] so', '- a: \n  $$\n  x + 1\n  $$\n  so'],
    ['a formula below a list', '- a:\n$$x^2$$\nso', '- a:\n$$\nx^2\n$$\nso'],
    ['a formula behind tabs', '-\ta\n\t\\[x + 1\\]', '-\ta\n    $$\n    x + 1\n    $$'],
    ['text indented below a formula', '\\[x + 1\\]\n      so', '\n$$\nx + 1\n$$\n\nso'],
    ['a formula in a quote', '> a\n> \\[\n> x\n> = 1\n> \\]\n> so', '> a\n> $$\n> x\n> = 1\n> $$\n> so'],
    ['a formula in a quote in a list', '- > \\[x = 1\\]\n', '- > $$\n  > x = 1\n  > $$\n'],
    [
      'formulas in a table',
      '| \\[x + |y|\\] | $|\\psi\\rangle$ | $x$ |\n|---|---|---|',
      '| $$x + \\vert y\\vert$$ | $$\\vert \\psi\\rangle$$ | $$x$$ |\n|---|---|---|',
    ],
    ['formulas below code in a list', '1. ```sh\n   $A$\n   ```\n2. $x$', '1. ```sh\n   $A$\n   ```\n2. $$x$$'],
    ['formulas below code in a quote', '> ```sh\n> $A$\n\n$x$', '> ```sh\n> $A$\n\n$$x$$'],
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
    '$x||$y and $a|$b',
    '|$|€|$|\n|-|-|-|',
    '$50 is $20 + $30, $250k is 25% of $1M',
    'Foo \\$1$ bar\n\\$\\$\n1\n\\$\\$',
    'invalid $lookup occurs with `$lookup`',
    '$$\n\\text{if $x$ holds}\n$$',
    '- a\n\n    ```sh\n    $A$\n    ```\n',
    '> $$\n> x\n> $$\n> so',
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
    ['Then\n\\[\na \\\\[4pt]\n', 'Then\n'],
    ['Then\n$$\\begin{aligned}\na &=', 'Then\n'],
    ['so:$$\nx = 1\n', 'so:'],
    ['$$\nx = 1$$\n\nso $y', '$$\nx = 1$$\n\nso '],
    ['- a\n  $$\n  x', '- a\n'],
    ['a ` b\n\nso $x', 'a ` b\n\nso '],
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

describe('a growing text', () => {
  const answer = [
    'With $\\pi^*$ and `a$`, it’s $5 or $6.',
    '1. **Derive**\n   - Rule:\n     \\[\n     x \\\\[4pt]\n     = 1\n     \\]\n     for \\(x > 0\\).\n2. ```sh\n   echo $A$\n\n   ```\n3. $$\\begin{a}\n   x\n   \\end{a}$$\n   so',
    '> **D:**\n> \\[\n> x\n> \\]\n> means $x$.',
    '$$\nx = 1$$\n\n- a\n- b',
    'so:$$\ny\n\\cdot z\n$$\nand $$ is cheap.',
    '| \\[x\\] | $|\\psi\\rangle$ |\n|---|---|\n| $$y$$ | $z$ |',
    '$$\nx\n\n= 2\n$$\nThe end of $x$.',
    '\\[\na\n- b\n+ c\n\\] and so:$$\na\n- b\n$$',
  ].join('\n\n')

  it('never changes what it has shown, and ends as the whole text', () => {
    const whole = splitMarkdown(normaliseMaths(answer))
    for (let length = 0; length <= answer.length; length += 1) {
      const shown = withoutOpenFormula(answer.slice(0, length))
      const finished = splitMarkdown(normaliseMaths(shown)).slice(0, -1)
      expect(finished).toEqual(whole.slice(0, finished.length))
    }
    expect(withoutOpenFormula(answer)).toBe(answer)
  })
})

describe('mayContainMaths', () => {
  it('distinguishes texts with formulas from texts without', () => {
    expect(['$x$', '$$\nx\n$$', '\\(x\\)', '\\[x\\]'].map(mayContainMaths)).toEqual([true, true, true, true])
    expect(['plain', 'a [link](x) (y)', '5 $ each'].map(mayContainMaths)).toEqual([false, false, false])
  })
})
