# The headers' comments as Doxygen reads them: // before a declaration becomes ///, behind one ///<. The first
# paragraph describes the file.
NR == 1 && /^\/\// { print "/// \\file" }
/^ *\/\// { sub(/\/\//, "///"); print; next }
{ sub(/ \/\/ /, " ///< "); print }
