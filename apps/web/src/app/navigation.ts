import type { Access } from '@mira/shared/access'
import {
  Bot,
  Image,
  Images,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  Search,
  ShieldUser,
  Upload,
} from 'lucide-react'
import { paths } from '../lib/session/paths.ts'

/** A link of the navigation; its texts are `nav.<name>` and, in the Media menu, `nav.<name>Hint`. */
interface NavigationLink<Name extends string> {
  name: Name
  path: string
  access: Access
  Icon: LucideIcon
}

/** The links beside the brand. Chat is shown to users with can_chat, although its route requires no permission. */
export const mainLinks = [
  { name: 'dashboard', path: paths.dashboard, access: 'user', Icon: LayoutDashboard },
  { name: 'chat', path: paths.chat, access: 'chat', Icon: MessageSquare },
  { name: 'agents', path: paths.agents, access: 'agents', Icon: Bot },
] as const satisfies readonly NavigationLink<string>[]

/** The entries of the Media menu, for users with can_upload. */
export const mediaLinks = [
  { name: 'upload', path: paths.upload, access: 'upload', Icon: Upload },
  { name: 'gallery', path: paths.gallery, access: 'upload', Icon: Images },
  { name: 'effects', path: paths.effects, access: 'upload', Icon: Image },
  { name: 'memory', path: paths.memory, access: 'upload', Icon: Search },
] as const satisfies readonly NavigationLink<string>[]

/** The link for administrators. */
export const adminLink = {
  name: 'admin',
  path: paths.admin,
  access: 'admin',
  Icon: ShieldUser,
} as const satisfies NavigationLink<string>
