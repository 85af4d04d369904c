/** Name of the film of a picture: the picture's name with its own ending. SQL over an item and its copy. */
export const motionName = (item: string, copy: string) =>
  `regexp_replace(${item}.original_filename, '\\.[^.]*$', '') ||
   CASE ${copy}.content_type WHEN 'video/quicktime' THEN '.mov' ELSE '.mp4' END`

/** Stands behind the name that a picture is known by where it was brought from, and so names the film that was taken with it. */
export const FILM_OF_PICTURE = ':film'
