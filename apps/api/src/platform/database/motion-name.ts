/** SQL for the file name of a motion photo's video: the picture's name with the video's extension. */
export const motionName = (item: string, copy: string) =>
  `regexp_replace(${item}.original_filename, '\\.[^.]*$', '') ||
   CASE ${copy}.content_type WHEN 'video/quicktime' THEN '.mov' ELSE '.mp4' END`

/** Suffix of a picture's external name that denotes its motion photo's video. */
export const MOTION_VIDEO_SUFFIX = ':film'
