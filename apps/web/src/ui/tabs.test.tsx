// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { TabPanel, Tabs } from './tabs.tsx'

const names = ['Words', 'Frames', 'Details']

function Parts({ first }: { first: string }) {
  const [value, setValue] = useState(first)
  const tabs = names.map((name) => ({ value: name, label: name }))
  return (
    <Tabs label="Parts" tabs={tabs} value={value} onValueChange={setValue}>
      {names.map((name) => (
        <TabPanel key={name} value={name}>
          What {name} show
        </TabPanel>
      ))}
    </Tabs>
  )
}

const tab = (name: string) => screen.getByRole('tab', { name })
const selectedTab = () => screen.getByRole('tab', { selected: true }).textContent

it('shows the panel of the selected tab, and none of the others', async () => {
  const { user } = await renderPart(<Parts first="Words" />)
  expect(screen.getByRole('tablist', { name: 'Parts' })).toBeTruthy()
  expect(screen.getByRole('tabpanel', { name: 'Words' }).textContent).toBe('What Words show')
  await user.click(tab('Details'))
  expect(selectedTab()).toBe('Details')
  expect(screen.getByRole('tabpanel', { name: 'Details' }).textContent).toBe('What Details show')
  expect(screen.getAllByRole('tabpanel')).toHaveLength(1)
  expect(document.body.textContent).not.toContain('What Words show')
  expect(tab('Details').getAttribute('aria-controls')).toBe(screen.getByRole('tabpanel').id)
})

it('does nothing when the selected tab is clicked again', async () => {
  const requests: string[] = []
  const tabs = names.map((name) => ({ value: name, label: name }))
  const { user } = await renderPart(
    <Tabs label="Parts" tabs={tabs} value="Words" onValueChange={(name) => requests.push(name)}>
      {null}
    </Tabs>,
  )
  await user.click(tab('Words'))
  await user.click(tab('Frames'))
  expect(requests).toEqual(['Frames'])
})

it('moves with the arrow keys, wrapping around, and to the ends with Home and End', async () => {
  const { user } = await renderPart(<Parts first="Words" />)
  await user.tab()
  const walk = async (key: string) => {
    await user.keyboard(`{${key}}`)
    expect(document.activeElement).toBe(tab(selectedTab() ?? ''))
    return selectedTab()
  }
  expect(await walk('ArrowRight')).toBe('Frames')
  expect(await walk('ArrowLeft')).toBe('Words')
  expect(await walk('ArrowLeft')).toBe('Details')
  expect(await walk('ArrowRight')).toBe('Words')
  expect(await walk('End')).toBe('Details')
  expect(await walk('Home')).toBe('Words')
})

it('ignores other keys', async () => {
  const { user } = await renderPart(<Parts first="Words" />)
  await user.tab()
  await user.keyboard('{Alt>}{ArrowRight}{/Alt}x')
  expect(selectedTab()).toBe('Words')
})

it.each([
  ['the selected tab', 'Frames', 'Frames'],
  ['the first one when none is selected', 'Gone', 'Words'],
])('the Tab key reaches only %s', async (_case, first, focusedName) => {
  const { user } = await renderPart(<Parts first={first} />)
  await user.tab()
  expect(document.activeElement).toBe(tab(focusedName))
  await user.tab()
  // the panel comes next, not another tab; only a real browser skips hidden panels, unlike happy-dom
  expect(document.activeElement?.getAttribute('role')).toBe('tabpanel')
})
