import { can } from '@mira/shared/access'
import { useNavigate } from 'react-router-dom'
import { useText } from '../lib/i18n.ts'
import { useShortcut } from '../lib/keyboard.ts'
import { goKeys } from '../lib/paths.ts'
import { useUser } from '../lib/session.ts'
import { mainLinks, mediaLinks } from './navigation.ts'

/** The keys that lead to what people do most, the same on every screen. */
export function GoShortcuts() {
  return [...mainLinks, ...mediaLinks].map((link) => {
    const key = goKeys.get(link.path)
    return key === undefined ? null : <GoShortcut key={key} letter={key} link={link} />
  })
}

function GoShortcut({ letter, link }: GoShortcutProps) {
  const text = useText('app')
  const navigate = useNavigate()
  useShortcut({
    key: letter,
    label: text(`nav.${link.name}`),
    group: text('shortcuts.everywhere'),
    onPress: () => void navigate(link.path),
    isEnabled: can(useUser(), link.access),
  })
  return null
}

type GoShortcutProps = { letter: string; link: (typeof mainLinks | typeof mediaLinks)[number] }
