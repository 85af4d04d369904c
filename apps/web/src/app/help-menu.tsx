import { BookOpen, CircleHelp, Keyboard, ListChecks, Search } from 'lucide-react'
import { Link } from 'react-router-dom'
import { apiUrl } from '../lib/api/client.ts'
import { useText } from '../lib/i18n/i18n.ts'
import { FIRST_STEPS_PARAMETER, paths } from '../lib/session/paths.ts'
import { DropdownMenu } from '../ui/dropdown-menu.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { showCommandPalette } from './command-palette.tsx'
import { showShortcuts } from './shortcuts.tsx'

/** Path that opens the first steps. */
export const firstStepsPath = `${paths.dashboard}?${FIRST_STEPS_PARAMETER}`

/** Menu with the first steps, the keyboard shortcuts, the command palette and the API documentation. */
export function HelpMenu() {
  const text = useText('app')
  return (
    <DropdownMenu
      align="end"
      trigger={<IconButton name={text('help.label')} icon={<CircleHelp aria-hidden />} tooltipSide="bottom" />}
      entries={[
        {
          key: 'steps',
          label: text('help.firstSteps'),
          icon: <ListChecks aria-hidden />,
          link: <Link to={firstStepsPath} />,
        },
        { key: 'keys', label: text('shortcuts.title'), icon: <Keyboard aria-hidden />, onSelect: showShortcuts },
        { key: 'palette', label: text('palette.open'), icon: <Search aria-hidden />, onSelect: showCommandPalette },
        {
          key: 'api',
          label: text('help.api'),
          icon: <BookOpen aria-hidden />,
          link: (
            <a href={apiUrl('/docs')} target="_blank" rel="noreferrer">
              {text('help.api')}
            </a>
          ),
        },
      ]}
    />
  )
}
