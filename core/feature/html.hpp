// What a reader sees of HTML, and where its links lead.
//
// Problem  comments, scripts and styles go; tags that only shape letters go without a trace, so that a word is not cut
//          by them; other tags become a blank; addresses (href, src, action) are text. Entities stay as they are.
// Method   one pass; a search that comes to the end of the text in vain is the last of its kind, so time is linear.
#pragma once

#include <string>
#include <string_view>

namespace widemargin {

std::string html_text(std::string_view html);

}  // namespace widemargin
