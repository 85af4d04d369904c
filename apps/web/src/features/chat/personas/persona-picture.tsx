import { Avatar } from '../../../ui/avatar.tsx'
import { classNames } from '../../../ui/class-names.ts'

const sizes = { sm: 'size-7', md: 'size-9', lg: 'size-12' }

/** The picture of a persona, or its initials; decoration beside its name. */
export function PersonaPicture({ persona: { name, picture }, size = 'md' }: PersonaPictureProps) {
  if (picture === null) return <Avatar name={name} size={size} />
  return <img src={picture} alt="" className={classNames('shrink-0 rounded-full object-cover', sizes[size])} />
}

type PersonaPictureProps = { persona: { name: string; picture: string | null }; size?: keyof typeof sizes }
